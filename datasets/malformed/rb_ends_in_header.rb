title
 3 1 1 1
rua 3 3 4 0
