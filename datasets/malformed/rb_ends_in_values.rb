a small matrix                                                          |tiny    
             3             1             1             1
rua                        3             3             4             0
(4I4)           (4I4)           (4E12.4)
   1   2   4   5
   1   1   3   2
  1.0000E+00  2.0000E+00
