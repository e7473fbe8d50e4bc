package life

import (
	"path/filepath"
	"strings"
	"testing"

	"trainshed.dev/engine/admission"
)

const here = "https://git.example.com/ml/training.git"

// played is a world with Argo CD in it, whose root application reads the folder root.
type played struct {
	*world
	test  *testing.T
	files map[string]string
}

func play(test *testing.T, files map[string]string) *played {
	test.Helper()
	var folders []string
	for _, folder := range []string{"argo-cd/v3.5.7", "kueue/v0.19.2", "training-operator/v1.9.4"} {
		absolute, err := filepath.Abs("../../../schemas/" + folder)
		if err != nil {
			test.Fatal(err)
		}
		folders = append(folders, absolute)
	}
	setting := admission.Setting{Schemas: folders, Kubernetes: "1.36", Operators: []string{"kueue", "training-operator"}}
	here := &played{newWorld(setting, here), test, map[string]string{}}
	here.commit(files)
	if err := here.apply("hand"); err != nil {
		test.Fatal(err)
	}
	here.rest()
	return here
}

// commit changes files, or takes those away whose text is empty, and lets the world come to rest.
func (played *played) commit(files map[string]string) {
	played.test.Helper()
	for name, text := range files {
		if played.files[name] = text; text == "" {
			delete(played.files, name)
		}
	}
	whole := map[string]string{}
	for name, text := range played.files {
		whole[name] = text
	}
	_ = played.play(step{Do: "commit", Files: whole})
	played.rest()
}

func (played *played) rest() {
	played.test.Helper()
	if _, rested := played.world.rest(); !rested {
		played.test.Fatalf("the world does not come to rest: %v", played.log.take())
	}
}

// tells gives the events of a kind of happening, one a line: "PyTorchJob team/run by sync app".
func (played *played) tells(what string) string {
	var lines []string
	for _, one := range played.log.take() {
		if one.What == what {
			lines = append(lines, key{"", one.Kind, one.Namespace, one.Name}.String()+" by "+one.By)
		}
	}
	return strings.Join(lines, "\n")
}

func (played *played) status(app string) string {
	for _, one := range played.argo.apps() {
		if one.Name == app {
			return one.Sync + " " + one.Health
		}
	}
	return "gone"
}

// app is an Application that reads a folder; more is added to its metadata, and options to its sync.
func app(name, folder, more string, options ...string) string {
	return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ` + name + `
  namespace: argocd
` + more + `
spec:
  project: all
  destination: {server: "https://kubernetes.default.svc", namespace: team}
  source: {repoURL: "` + here + `", targetRevision: main, path: ` + folder + `}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    retry: {limit: -1}
    syncOptions: [` + strings.Join(append(options, "ServerSideApply=true"), ", ") + `]
`
}

const allProject = `
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: all, namespace: argocd}
spec:
  sourceRepos: ["*"]
  destinations: [{server: "*", namespace: "*"}]
  clusterResourceWhitelist: [{group: "*", kind: "*"}]
`

const cascades = "  finalizers: [resources-finalizer.argocd.argoproj.io]"

func configMap(name, more string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n" + more + "\ndata: {a: b}\n"
}

func claim(annotations string) string {
	return `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: checkpoints
` + annotations + `
spec:
  accessModes: [ReadWriteMany]
  resources: {requests: {storage: 1Gi}}
`
}

const kept = `  annotations:
    argocd.argoproj.io/sync-options: Prune=false,Delete=false
    argocd.argoproj.io/compare-options: IgnoreExtraneous`

// simple is a root that is applied by hand, and one app below it.
func simple() map[string]string {
	return map[string]string{
		"hand/project.yaml": allProject,
		"hand/root.yaml":    app("root", "root", cascades),
		"root/data.yaml":    app("data", "data", cascades, "CreateNamespace=true"),
		"data/a.yaml":       configMap("a", ""),
		"data/claim.yaml":   claim(kept),
	}
}

func TestWhatIsMergedIsCreatedAndComesToRestInSync(test *testing.T) {
	world := play(test, simple())
	said := world.tells("created")
	for _, wanted := range []string{
		"Application argocd/data by sync root", "Namespace team by sync data", "ConfigMap team/a by sync data",
	} {
		if !strings.Contains(said, wanted) {
			test.Errorf("%q is not in\n%s", wanted, said)
		}
	}
	for _, name := range []string{"root", "data"} {
		if status := world.status(name); !strings.HasPrefix(status, "Synced") {
			test.Errorf("%s is %s: %+v", name, status, world.argo.apps())
		}
	}
}

func TestWhatLeavesGitIsPrunedButNotWhatIsProtected(test *testing.T) {
	world := play(test, simple())
	world.log.take()
	world.commit(map[string]string{"data/a.yaml": configMap("b", ""), "data/claim.yaml": ""})
	if said := world.tells("deleted"); said != "ConfigMap team/a by prune data" {
		test.Errorf("deleted %q", said)
	}
	if status := world.status("data"); status != "Synced Healthy" {
		test.Errorf("data is %s: %+v", status, world.argo.apps())
	}
}

func TestAnUnprotectedClaimIsPruned(test *testing.T) {
	files := simple()
	files["data/claim.yaml"] = claim("")
	world := play(test, files)
	world.log.take()
	world.commit(map[string]string{"data/claim.yaml": ""})
	if said := world.tells("deleted"); said != "PersistentVolumeClaim team/checkpoints by prune data" {
		test.Errorf("deleted %q", said)
	}
}

func TestAnApplicationTakesWithItWhatIsNotProtected(test *testing.T) {
	files := simple()
	files["root/other.yaml"], files["other/c.yaml"] = app("other", "other", ""), configMap("c", "")
	world := play(test, files)
	world.log.take()
	world.commit(map[string]string{"root/data.yaml": "", "data/a.yaml": "", "data/claim.yaml": ""})
	if said := world.tells("deleted"); said != "Application argocd/data by prune root\nConfigMap team/a by cascade data" {
		test.Errorf("deleted %q", said)
	}
}

func TestAnApplicationWithoutFinalizerLeavesEverything(test *testing.T) {
	files := simple()
	files["root/data.yaml"] = app("data", "data", "", "CreateNamespace=true")
	files["root/other.yaml"], files["other/c.yaml"] = app("other", "other", ""), configMap("c", "")
	world := play(test, files)
	world.log.take()
	world.commit(map[string]string{"root/data.yaml": ""})
	if said := world.tells("deleted"); said != "Application argocd/data by prune root" {
		test.Errorf("deleted %q", said)
	}
}

func TestAnAppIsNotEmptiedByASync(test *testing.T) {
	files := simple()
	delete(files, "data/claim.yaml")
	world := play(test, files)
	world.log.take()
	world.commit(map[string]string{"root/data.yaml": ""})
	if said := world.tells("deleted"); said != "" {
		test.Errorf("deleted %q", said)
	}
	if status := world.argo.apps()[1]; status.Sync != "Unknown" && !strings.Contains(status.Fault, "app path does not exist") {
		test.Errorf("root is %+v", status)
	}
}

func TestWhatAPersonChangesIsHealed(test *testing.T) {
	world := play(test, simple())
	world.log.take()
	place := key{"", "ConfigMap", "team", "a"}
	if err := world.edit(place, []byte(`{"data": {"a": "mine", "more": "mine"}}`)); err != nil {
		test.Fatal(err)
	}
	world.rest()
	if now := mapIn(world.store.get(place).Object, "data"); now["a"] != "b" || now["more"] != "mine" {
		test.Errorf("got %v", now)
	}
	if err := world.delete(place); err != nil {
		test.Fatal(err)
	}
	world.rest()
	if said := world.tells("created"); said != "ConfigMap team/a by sync data" {
		test.Errorf("created %q", said)
	}
}

func TestALaterWaveWaitsForTheHealthOfAnEarlierOne(test *testing.T) {
	files := simple()
	wave := func(number string) string {
		return cascades + "\n  annotations: {argocd.argoproj.io/sync-wave: \"" + number + "\"}"
	}
	files["hand/settings.yaml"] = `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.customizations.health.argoproj.io_Application: |
    local status = obj.status or {}
    return { status = status.health and status.health.status or "Progressing" }
`
	files["root/data.yaml"] = app("data", "data", wave("1"), "CreateNamespace=true")
	files["root/first.yaml"] = app("first", "first", wave("0"), "CreateNamespace=true")
	files["first/job.yaml"] = `
apiVersion: batch/v1
kind: Job
metadata: {name: slow}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "example.com/a:1"}]
`
	world := play(test, files)
	if status := world.status("data"); status != "gone" {
		test.Fatalf("data is %s", status)
	}
	one, err := world.find(subject{Name: "slow"})
	if err != nil {
		test.Fatal(err)
	}
	if err := (operators{world.store}).end(one, succeeded); err != nil {
		test.Fatal(err)
	}
	world.rest()
	if status := world.status("data"); status != "Synced Healthy" {
		test.Errorf("data is %s: %+v", status, world.argo.apps())
	}
}

func TestAChangedImmutableFieldIsRefusedAndLeavesTheAppOutOfSync(test *testing.T) {
	files := simple()
	files["data/a.yaml"] = configMap("a", "") + "immutable: true\n"
	world := play(test, files)
	world.log.take()
	world.commit(map[string]string{"data/a.yaml": strings.Replace(files["data/a.yaml"], "a: b", "a: c", 1)})
	if said := world.tells("refused"); said != "ConfigMap team/a by sync data" {
		test.Errorf("refused %q", said)
	}
	if status := world.status("data"); status != "OutOfSync Healthy" {
		test.Errorf("data is %s", status)
	}
}

func TestDependentsGoWithTheirOwnerAndOrphansStay(test *testing.T) {
	world := play(test, simple())
	owner := world.store.get(key{"", "ConfigMap", "team", "a"})
	for _, name := range []string{"one", "two"} {
		child, _ := read([]byte(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "` + name + `", "namespace": "team"}}`))
		if _, err := world.store.create(ownedBy(owner, child.Object), "test"); err != nil {
			test.Fatal(err)
		}
	}
	held := key{"", "ConfigMap", "team", "two"}
	world.store.write(held, func(one *object) { addFinalizer(one, "example.com/held") })
	if err := world.store.remove(keyOf(owner), "Foreground", "test"); err != nil {
		test.Fatal(err)
	}
	collectGarbage(world.store)
	collectGarbage(world.store)
	if world.store.get(key{"", "ConfigMap", "team", "one"}) != nil {
		test.Error("a dependent outlives its owner")
	}
	if world.store.get(keyOf(owner)) == nil || world.store.get(held) == nil {
		test.Fatal("an owner does not wait for a dependent that is held")
	}
	world.store.write(held, func(one *object) { dropFinalizer(one, "example.com/held") })
	world.rest()
	if created := world.store.get(keyOf(owner)); created == nil || created.GetUID() == owner.GetUID() {
		test.Error("self-heal does not bring the owner back")
	}
}

func TestANamespaceTakesEverythingWithIt(test *testing.T) {
	world := play(test, simple())
	world.commit(map[string]string{"root/data.yaml": strings.Replace(world.files["root/data.yaml"], "automated: {prune: true, selfHeal: true}", "automated: null", 1)})
	world.log.take()
	if err := world.delete(key{kind: "Namespace", name: "team"}); err != nil {
		test.Fatal(err)
	}
	world.rest()
	wanted := "ConfigMap team/a by namespace team\nPersistentVolumeClaim team/checkpoints by namespace team\nNamespace team by hand"
	if said := world.tells("deleted"); said != wanted {
		test.Errorf("deleted\n%s", said)
	}
}
