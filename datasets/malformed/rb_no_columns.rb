No columns, three entries                                               KEY     
             3             1             1             1             0
RUA                        3             0             3             0
(16I5)          (16I5)          (5E16.8)            
    1
    1    2    3
  1.00000000E+00  2.00000000E+00  3.00000000E+00
