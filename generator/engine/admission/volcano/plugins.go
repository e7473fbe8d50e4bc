package volcano

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hostsPath is where pods find the files of hosts.
const hostsPath = "/etc/volcano"

// masterPort is where the pods of the plugin pytorch meet, unless they are told another one.
const masterPort = 23456

// wiring is what a Job's plugins do to its pods, as those of volcano v1.15.1 do (pkg/controllers/job/plugins): env, svc
// and pytorch, but for the init container with which workers of the last wait for their master.
type wiring struct {
	job     string
	tasks   []task
	plugins map[string][]string
}

// task is as much of one as plugins look at.
type task struct {
	name                string
	replicas            int
	hostname, subdomain string
}

// wiringOf refuses plugins that would do something else to the pods.
func wiringOf(job string, tasks []task, plugins map[string][]string) (wiring, error) {
	for name := range plugins {
		if !slices.Contains([]string{"env", "svc", "ssh", "pytorch"}, name) {
			return wiring{}, fmt.Errorf("what the plugin %q does to pods is not known here", name)
		}
	}
	if _, asks := plugins["pytorch"]; asks && plugins["svc"] == nil {
		plugins["svc"] = []string{} // as Volcano's webhook does
	}
	return wiring{job, tasks, plugins}, nil
}

// wire does to a pod what the plugins do.
func (wiring wiring) wire(pod *corev1.Pod, of task, index int) error {
	if _, asks := wiring.plugins["env"]; asks {
		number := strconv.Itoa(index)
		setAll(pod, corev1.EnvVar{Name: "VK_TASK_INDEX", Value: number}, corev1.EnvVar{Name: "VC_TASK_INDEX", Value: number})
	}
	if _, asks := wiring.plugins["svc"]; asks {
		wiring.serve(pod)
	}
	if arguments, asks := wiring.plugins["pytorch"]; asks {
		return wiring.rank(pod, of, index, arguments)
	}
	return nil
}

// serve gives a pod a name in the network, and those of all others.
func (wiring wiring) serve(pod *corev1.Pod) {
	if pod.Spec.Hostname == "" {
		pod.Spec.Hostname = pod.Name
	}
	if pod.Spec.Subdomain == "" {
		pod.Spec.Subdomain = wiring.job
	}
	name := corev1.LocalObjectReference{Name: wiring.hostsName()}
	for _, task := range wiring.tasks {
		for _, key := range []string{task.hostsKey(), task.countKey()} {
			from := &corev1.ConfigMapKeySelector{LocalObjectReference: name, Key: key}
			setAll(pod, corev1.EnvVar{Name: key, ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: from}})
		}
	}
	source := corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: name}}
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name.Name, VolumeSource: source})
	for _, container := range containers(pod) {
		mount := corev1.VolumeMount{Name: name.Name, MountPath: hostsPath}
		container.VolumeMounts = append(container.VolumeMounts, mount)
	}
}

// rank tells the containers of a pod of which rank they are, and where the others are to be met.
func (wiring wiring) rank(pod *corev1.Pod, of task, index int, arguments []string) error {
	flags := flag.NewFlagSet("pytorch", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	masters := flags.String("master", "master", "")
	workers := flags.String("worker", "worker", "")
	port := flags.Int("port", masterPort, "")
	if err := flags.Parse(arguments); err != nil {
		return fmt.Errorf("the plugin pytorch: %w", err)
	}
	at := slices.IndexFunc(wiring.tasks, func(task task) bool { return task.name == *masters })
	if at < 0 {
		return nil
	}
	size := 0
	for _, task := range wiring.tasks {
		if task.name == *masters || task.name == *workers {
			size += task.replicas
		}
	}
	told := []corev1.EnvVar{
		{Name: "MASTER_ADDR", Value: wiring.host(wiring.tasks[at], 0)},
		{Name: "MASTER_PORT", Value: strconv.Itoa(*port)},
		{Name: "WORLD_SIZE", Value: strconv.Itoa(size)},
	}
	switch of.name {
	case *workers:
		told = append(told, corev1.EnvVar{Name: "RANK", Value: strconv.Itoa(index + 1)})
	case *masters:
		told = append(told, corev1.EnvVar{Name: "RANK", Value: "0"})
	}
	for index := range pod.Spec.Containers {
		pod.Spec.Containers[index].Env = append(pod.Spec.Containers[index].Env, told...)
	}
	return nil
}

// beside are the ConfigMap and the Service of the plugin svc.
func (wiring wiring) beside(namespace string) (*corev1.ConfigMap, *corev1.Service) {
	arguments, asks := wiring.plugins["svc"]
	if !asks {
		return nil, nil
	}
	hosts := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: wiring.hostsName(), Namespace: namespace},
		Data:       map[string]string{},
	}
	for _, task := range wiring.tasks {
		all := wiring.hosts(task)
		hosts.Data[strings.ReplaceAll(task.name, "-", "_")+".host"] = strings.Join(all, "\n")
		hosts.Data[task.hostsKey()] = strings.Join(all, ",")
		hosts.Data[task.countKey()] = strconv.Itoa(len(all))
	}
	service := &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Name: wiring.job, Namespace: namespace},
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			Selector:                 wiring.labels(namespace),
			PublishNotReadyAddresses: slices.Contains(arguments, "--publish-not-ready-addresses=true"),
		},
	}
	return hosts, service
}

// labels are those by which the Service finds the pods.
func (wiring wiring) labels(namespace string) map[string]string {
	return map[string]string{"volcano.sh/job-name": wiring.job, "volcano.sh/job-namespace": namespace}
}

func (wiring wiring) hostsName() string { return wiring.job + "-svc" }

// hosts are the names of a task's pods in the network: one, if its template names it.
func (wiring wiring) hosts(of task) []string {
	names := make([]string, of.replicas)
	for index := range names {
		names[index] = wiring.host(of, index)
	}
	return slices.Compact(names)
}

func (wiring wiring) host(of task, index int) string {
	hostname := cmp.Or(of.hostname, fmt.Sprintf("%s-%s-%d", wiring.job, of.name, index))
	return hostname + "." + cmp.Or(of.subdomain, wiring.job)
}

func (task task) hostsKey() string { return "VC_" + task.variable() + "_HOSTS" }

func (task task) countKey() string { return "VC_" + task.variable() + "_NUM" }

func (task task) variable() string {
	return strings.ToUpper(strings.ReplaceAll(task.name, "-", "_"))
}

func containers(pod *corev1.Pod) (all []*corev1.Container) {
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for index := range list {
			all = append(all, &list[index])
		}
	}
	return all
}

func setAll(pod *corev1.Pod, variables ...corev1.EnvVar) {
	for _, container := range containers(pod) {
		container.Env = append(container.Env, variables...)
	}
}
