package customresource

import (
	"encoding/json"
	"maps"
	"reflect"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type properties = apiextensions.JSONSchemaProps

// reader turns plain data into the type that the API server compiles. It goes keyword by keyword, since decoding a
// whole schema reads every part as often as it is deep, and reads a part that stands in many places once.
type reader struct {
	known   map[uintptr]*properties
	failure error
}

func readProperties(openAPIV3Schema map[string]any) (*properties, error) {
	reader := &reader{known: map[uintptr]*properties{}}
	read := reader.read(openAPIV3Schema)
	return read, reader.failure
}

func (reader *reader) read(value any) *properties {
	written, isMap := value.(map[string]any)
	if !isMap {
		return nil
	}
	identity := reflect.ValueOf(written).Pointer()
	if known := reader.known[identity]; known != nil {
		return known
	}
	own := maps.Clone(written)
	for _, keyword := range []string{"additionalProperties", "allOf", "anyOf", "items", "not", "oneOf", "properties"} {
		delete(own, keyword)
	}
	read := &properties{}
	if err := convert(own, read); err != nil {
		reader.failure = err
	}
	read.AllOf, read.AnyOf, read.OneOf = reader.list(written["allOf"]), reader.list(written["anyOf"]), reader.list(written["oneOf"])
	read.Not = reader.read(written["not"])
	if items := reader.read(written["items"]); items != nil {
		read.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: items}
	}
	if values, exists := written["additionalProperties"]; exists {
		read.AdditionalProperties = &apiextensions.JSONSchemaPropsOrBool{Allows: values != false, Schema: reader.read(values)}
	}
	if fields, _ := written["properties"].(map[string]any); fields != nil {
		read.Properties = make(map[string]properties, len(fields))
		for name, field := range fields {
			if property := reader.read(field); property != nil {
				read.Properties[name] = *property
			}
		}
	}
	reader.known[identity] = read
	return read
}

func (reader *reader) list(value any) (read []properties) {
	alternatives, _ := value.([]any)
	for _, alternative := range alternatives {
		if one := reader.read(alternative); one != nil {
			read = append(read, *one)
		}
	}
	return read
}

// convert reads keywords that hold no schemas.
func convert(keywords map[string]any, into *properties) error {
	var served apiextensionsv1.JSONSchemaProps
	if err := reread(keywords, &served); err != nil {
		return err
	}
	return apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&served, into, nil)
}

// reread decodes plain data into a type of its own; null leaves that as it is.
func reread(data any, into any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
