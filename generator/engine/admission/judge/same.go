package judge

import "reflect"

// Same says whether two values of JSON data are equal; it is quicker than to ask about values of any type.
func Same(one, other any) bool {
	switch one := one.(type) {
	case map[string]any:
		other, isMap := other.(map[string]any)
		if !isMap || len(one) != len(other) {
			return false
		}
		for key, value := range one {
			if counterpart, exists := other[key]; !exists || !Same(value, counterpart) {
				return false
			}
		}
		return true
	case []any:
		other, isList := other.([]any)
		if !isList || len(one) != len(other) {
			return false
		}
		for index, value := range one {
			if !Same(value, other[index]) {
				return false
			}
		}
		return true
	case string, bool, int64, nil:
		return one == other
	}
	return reflect.DeepEqual(one, other)
}
