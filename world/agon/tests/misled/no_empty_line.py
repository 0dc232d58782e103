# Triangles: answers without the empty line that ends an answer.
for line in iter(input, None):
    print("=", flush=True)
