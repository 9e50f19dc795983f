a small matrix                                                          |tiny    
words
rua                        3             3             4             0
(4I4)           (4I4)           (4E12.4)
   1   2   4   5
   1   1   3   2
  1.0000E+00  2.0000E+00  3.0000E+00  4.0000E+00
