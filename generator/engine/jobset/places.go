package main

import (
	"fmt"
	"slices"
	"strconv"

	v1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/controllers"

	"trainshed.dev/engine/admission/judge"
)

// place says what a child is for, and where its parts were written.
func place(child *judge.Child, review judge.Review, jobSet *v1alpha2.JobSet) {
	switch child.Object["kind"] {
	case "Job":
		placeJob(child, review, jobSet)
	case "Service":
		child.Fallback = "/spec/network"
		child.Places = []judge.Place{{Child: "/metadata/name", Parent: subdomain(jobSet)}}
	case "PersistentVolumeClaim":
		placeClaim(child, jobSet)
	}
}

// placeJob says which replicatedJob a Job is of, and where its parts were written.
func placeJob(child *judge.Child, review judge.Review, jobSet *v1alpha2.JobSet) {
	child.Role = textAt(child.Object, "/metadata/labels", v1alpha2.ReplicatedJobNameKey)
	at := position(jobSet, child.Role)
	child.Count = review.Standing(int(jobSet.Spec.ReplicatedJobs[at].Replicas))
	child.Index, _ = strconv.Atoi(textAt(child.Object, "/metadata/labels", v1alpha2.JobIndexKey))
	child.Fallback = fmt.Sprintf("/spec/replicatedJobs/%d", at)
	template := child.Fallback + "/template"
	child.Places = []judge.Place{
		{Child: "/metadata", Parent: template + "/metadata"},
		{Child: "/metadata/name", Parent: child.Fallback + "/name"},
		{Child: "/spec", Parent: template + "/spec"},
		{Child: "/spec/suspend", Parent: "/spec/suspend"},
		{Child: "/spec/template/spec/subdomain", Parent: subdomain(jobSet)},
	}
	pod := judge.TemplatePlaces(review.Object, template+"/spec/template", child.Object, "/spec/template")
	child.Places = append(child.Places, claimVolumes(child.Object, jobSet)...)
	child.Places = append(child.Places, pod...)
}

// position is that of the replicatedJob of a name, -1 if there is none.
func position(jobSet *v1alpha2.JobSet, name string) int {
	return slices.IndexFunc(jobSet.Spec.ReplicatedJobs, func(replicated v1alpha2.ReplicatedJob) bool {
		return replicated.Name == name
	})
}

// subdomain is where the name of the headless Service was written.
func subdomain(jobSet *v1alpha2.JobSet) string {
	if jobSet.Spec.Network != nil && jobSet.Spec.Network.Subdomain != "" {
		return "/spec/network/subdomain"
	}
	return "/metadata/name"
}

// claimVolumes are the volumes that the controller adds to a Job for the claims that it makes. Of two places as long
// as each other the first holds, so these come before those of the pod template.
func claimVolumes(job judge.Object, jobSet *v1alpha2.JobSet) []judge.Place {
	var places []judge.Place
	volumes, _ := judge.At(job, "/spec/template/spec/volumes")
	list, _ := volumes.([]any)
	for index := range list {
		pointer := fmt.Sprintf("/spec/template/spec/volumes/%d", index)
		claim := textAt(job, pointer+"/persistentVolumeClaim", "claimName")
		if template := claimTemplate(jobSet, claim); template != "" {
			places = append(places, judge.Place{Child: pointer, Parent: template + "/metadata"})
		}
	}
	return places
}

func placeClaim(child *judge.Child, jobSet *v1alpha2.JobSet) {
	child.Fallback = claimTemplate(jobSet, textAt(child.Object, "/metadata", "name"))
	child.Places = []judge.Place{
		{Child: "/metadata", Parent: child.Fallback + "/metadata"},
		{Child: "/spec", Parent: child.Fallback + "/spec"},
	}
}

// claimTemplate is where the claim of a name was written; empty if it was not.
func claimTemplate(jobSet *v1alpha2.JobSet, claim string) string {
	for policy := range jobSet.Spec.VolumeClaimPolicies {
		for index, template := range jobSet.Spec.VolumeClaimPolicies[policy].Templates {
			if controllers.GeneratePVCName(jobSet.Name, template.Name) == claim {
				return fmt.Sprintf("/spec/volumeClaimPolicies/%d/templates/%d", policy, index)
			}
		}
	}
	return ""
}

func textAt(object judge.Object, pointer, key string) string {
	found, _ := judge.At(object, pointer+"/"+judge.Escape(key))
	text, _ := found.(string)
	return text
}
