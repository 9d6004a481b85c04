# gnuplot
$times << END
1 200 "transpose_tile"
0 100 "collatz"
END
set multiplot layout 1,1
set title "time of kernels" noenhanced
set xlabel "milliseconds"
set xtics rotate by -40
set xrange [0:*]
set yrange [-1:2]
set ytics noenhanced
unset key
set grid xtics
plot $times using (0):1:(0):2:($1-0.35):($1+0.35):ytic(3) with boxxyerror fill solid 0.6
unset multiplot
