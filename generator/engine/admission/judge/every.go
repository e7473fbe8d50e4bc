package judge

import "fmt"

// MostPods is how many pods of one workload are made one by one.
const MostPods = 256

// FewEnough is the error for more pods than can be made one by one.
func FewEnough(pods int) error {
	if pods > MostPods {
		return fmt.Errorf("%d pods would be made of it, and at most %d can be made one by one", pods, MostPods)
	}
	return nil
}

// Indexes are those of some alike that are made: each of them, or the last for all, whose name is the longest.
func (review Review) Indexes(count int) ([]int, error) {
	if !review.Every {
		return []int{count - 1}, nil
	}
	if err := FewEnough(count); err != nil {
		return nil, err
	}
	indexes := make([]int, max(count, 0))
	for index := range indexes {
		indexes[index] = index
	}
	return indexes, nil
}

// Standing is how many a child stands for, of some alike.
func (review Review) Standing(count int) int {
	if review.Every {
		return 1
	}
	return count
}
