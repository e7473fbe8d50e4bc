package kustomization

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Problem is why a root cannot be built. Path and line are given where Kustomize's words lead to them.
type Problem struct {
	Message string `json:"message"`
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
}

var (
	spaces     = regexp.MustCompile(`\s+`)
	lineNumber = regexp.MustCompile(`\bline (\d+)\b`)
	named      = regexp.MustCompile(`['"(]([^\s'"()]+)['")]|File: (\S+)`)
	pointer    = regexp.MustCompile(`\bpath: "?(/[^\s":]+)`)
	spellings  = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}
)

// locate turns an error of Kustomize into a Problem. Kustomize tells its way down through the bases, so that
// the last file it names is the one it means; a name that is no file is looked up where it is written.
func locate(err error, files map[string]string, root string) *Problem {
	message := strings.TrimSpace(spaces.ReplaceAllString(err.Error(), " "))
	words := groups(named, message)
	problem := &Problem{Message: message, Path: blamed(words, files, path.Clean(root))}
	if numbers := groups(lineNumber, message); numbers != nil {
		problem.Line, _ = strconv.Atoi(numbers[len(numbers)-1])
		return problem
	}
	problem.Line = lineOfLast(words, files[problem.Path])
	if pointers := groups(pointer, message); pointers != nil {
		problem.findPatch(pointers[len(pointers)-1], files)
	}
	return problem
}

func groups(pattern *regexp.Regexp, message string) []string {
	var found []string
	for _, match := range pattern.FindAllStringSubmatch(message, -1) {
		found = append(found, strings.Join(match[1:], ""))
	}
	return found
}

// blamed is the last file among the words, or the kustomization of the last folder among them.
func blamed(words []string, files map[string]string, folder string) string {
	file := kustomizationOf(folder, files)
	for _, word := range words {
		place := resolve(word, folder, files)
		if _, isFile := files[place]; isFile {
			file = place
		} else if below := kustomizationOf(place, files); below != "" {
			folder, file = place, below
		}
	}
	return file
}

// resolve is the path among files that a word of an error message stands for: absolute, or below the folder.
func resolve(word, folder string, files map[string]string) string {
	if absolute, isAbsolute := strings.CutPrefix(word, "/"); isAbsolute {
		return path.Clean(absolute)
	}
	below := path.Join(folder, word)
	if _, isFile := files[below]; !isFile {
		if _, isFile = files[word]; isFile {
			return word
		}
	}
	return below
}

func kustomizationOf(folder string, files map[string]string) string {
	for _, name := range spellings {
		file := path.Join(folder, name)
		if _, isFile := files[file]; isFile {
			return file
		}
	}
	return ""
}

// lineOfLast finds the line on which the last word to stand in the text stands. Absolute words are looked up
// by their last part, as a kustomization writes relative ones.
func lineOfLast(words []string, text string) int {
	for _, word := range slices.Backward(words) {
		if strings.HasPrefix(word, "/") {
			word = path.Base(word)
		}
		if line := lineOf(word, text); line > 0 {
			return line
		}
	}
	return 0
}

// findPatch looks for the patch that writes a JSON pointer: in the kustomization first, then in the files beside it.
func (problem *Problem) findPatch(pointer string, files map[string]string) {
	beside := []string{}
	for file := range files {
		if path.Dir(file) == path.Dir(problem.Path) && file != problem.Path {
			beside = append(beside, file)
		}
	}
	slices.Sort(beside)
	for _, file := range append([]string{problem.Path}, beside...) {
		if line := lineOf(pointer, files[file]); line > 0 {
			problem.Path, problem.Line = file, line
			return
		}
	}
}

// lineOf finds the first line, counted from 1, that has the word as a whole; 0 for none.
func lineOf(word, text string) int {
	whole := regexp.MustCompile(`(?:^|[\s'"\[,:/])` + regexp.QuoteMeta(word) + `(?:$|[\s'"\],:])`)
	for number, line := range strings.Split(text, "\n") {
		if whole.MatchString(line) {
			return number + 1
		}
	}
	return 0
}
