package judge

// Surroundings are the other objects of a cluster that judges look at: namespaces, limit ranges, quotas, priority
// classes, training runtimes, queues.
type Surroundings struct {
	// Kubernetes is the minor release of the cluster, such as "1.33".
	Kubernetes string
	objects    map[identity]Object
	byKind     map[string][]Object
}

type identity struct{ kind, namespace, name string }

// NewSurroundings keeps the objects by kind and name; the first of several wins.
func NewSurroundings(kubernetes string, objects []Object) *Surroundings {
	around := &Surroundings{kubernetes, map[identity]Object{}, map[string][]Object{}}
	for _, object := range objects {
		kind, _ := object["kind"].(string)
		key := identity{kind, textAt(object, "/metadata/namespace"), textAt(object, "/metadata/name")}
		if _, known := around.objects[key]; !known {
			around.objects[key] = object
			around.byKind[kind] = append(around.byKind[kind], object)
		}
	}
	return around
}

// Find is the object of a kind and name, nil if there is none. Namespace is empty for cluster scope.
func (around *Surroundings) Find(kind, namespace, name string) Object {
	return around.objects[identity{kind, namespace, name}]
}

// OfKind are all objects of a kind.
func (around *Surroundings) OfKind(kind string) []Object {
	return around.byKind[kind]
}

func textAt(object Object, pointer string) string {
	found, _ := At(object, pointer)
	text, _ := found.(string)
	return text
}
