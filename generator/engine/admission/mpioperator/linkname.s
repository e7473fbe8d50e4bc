// This file lets a Go function of this package have its body elsewhere: see syncHandler.
