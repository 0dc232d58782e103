# Planet Wars: reads a line after `go` before it answers.
for line in iter(input, None):
    if line == "go":
        input()
        print("go", flush=True)
