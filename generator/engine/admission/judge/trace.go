package judge

import (
	"fmt"
	"strings"
)

// TemplatePlaces says where the parts of a made pod template come from, given the pointers of both: everything below
// the template, but lists of named things by their names, because operators put things of their own among them.
func TemplatePlaces(parent Object, parentTemplate string, child Object, childTemplate string) []Place {
	places := []Place{{childTemplate, parentTemplate}}
	for _, list := range []string{"/spec/containers", "/spec/initContainers", "/spec/volumes"} {
		pairs := pairByName(parent, parentTemplate+list, child, childTemplate+list)
		places = append(places, pairs...)
		for _, pair := range pairs {
			for _, inner := range []string{"/env", "/volumeMounts", "/ports"} {
				places = append(places, pairByName(parent, pair.Parent+inner, child, pair.Child+inner)...)
			}
		}
	}
	return places
}

// pairByName pairs list items of one name. What only the child has is blamed on the place that holds the list.
func pairByName(parent Object, parentList string, child Object, childList string) []Place {
	written := map[string]int{}
	for index, name := range names(parent, parentList) {
		if _, known := written[name]; !known {
			written[name] = index
		}
	}
	places := []Place{}
	for index, name := range names(child, childList) {
		place := Place{Child: fmt.Sprintf("%s/%d", childList, index), Parent: holder(parentList)}
		if at, known := written[name]; known {
			place.Parent = fmt.Sprintf("%s/%d", parentList, at)
		}
		places = append(places, place)
	}
	return places
}

func holder(pointer string) string {
	return pointer[:strings.LastIndex(pointer, "/")]
}

func names(object Object, pointer string) []string {
	list, _ := At(object, pointer)
	items, _ := list.([]any)
	found := make([]string, len(items))
	for index, item := range items {
		if named, isMap := item.(map[string]any); isMap {
			found[index], _ = named["name"].(string)
		}
	}
	return found
}

// Trace gives the pointer into the parent for one into the child.
func (child Child) Trace(pointer string) string {
	longest, found := -1, child.Fallback
	for _, place := range child.Places {
		if len(place.Child) > longest && (pointer == place.Child || strings.HasPrefix(pointer, place.Child+"/")) {
			longest, found = len(place.Child), place.Parent+pointer[len(place.Child):]
		}
	}
	return found
}

// Within gives a child of a child as one of the outer's parent.
func (child Child) Within(outer Child) Child {
	places := make([]Place, 0, len(child.Places)+len(outer.Places))
	for _, inner := range child.Places {
		places = append(places, Place{inner.Child, outer.Trace(inner.Parent)})
		for _, place := range outer.Places {
			if rest, below := strings.CutPrefix(place.Child, inner.Parent+"/"); below {
				places = append(places, Place{inner.Child + "/" + rest, place.Parent})
			}
		}
	}
	child.Places, child.Fallback, child.Count = places, outer.Trace(child.Fallback), child.Count*outer.Count
	if outer.Role != "" {
		child.Role = outer.Role
	}
	return child
}
