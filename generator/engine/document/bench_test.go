package document

import "testing"

func BenchmarkText(b *testing.B) {
	value := decode(b, `{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"train","namespace":"ml"},
		"spec":{"a":["python","train.py","--lr","0.1"],"env":[{"name":"NCCL_DEBUG","value":"INFO"},{"name":"A","value":"1"}],
		"resources":{"limits":{"nvidia.com/gpu":8,"cpu":"32","memory":"512Gi"}},"image":"registry.example.com/train:1"}}`)
	for b.Loop() {
		if _, err := Text(value); err != nil {
			b.Fatal(err)
		}
	}
}
