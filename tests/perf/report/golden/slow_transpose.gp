# gnuplot
$times << END
3 812 "transpose<float>"
2 250 "saxpy"
1 42 "(anonymous namespace)::bias"
0 19 "softmax_rows"
END
$points << END
0.782311 5.17241e+11 "transpose<float>"
0.166667 5.36871e+11 "saxpy"
0.125 4.87619e+08 "(anonymous namespace)::bias"
4 2.20753e+11 "softmax_rows"
END
set multiplot layout 1,2
set title "time of kernels" noenhanced
set xlabel "milliseconds"
set xtics rotate by -40
set xrange [0:*]
set yrange [-1:4]
set ytics noenhanced
unset key
set grid xtics
plot $times using (0):1:(0):2:($1-0.35):($1+0.35):ytic(3) with boxxyerror fill solid 0.6
set title "roofline" noenhanced
set xlabel "operations per byte"
set ylabel "operations per second"
set logscale xy
set ytics auto enhanced
set xtics norotate
set xrange [0.001:10000]
set yrange [*:*]
set key below
set format y "10^{%L}"
plot $points using 1:2:3 with labels point pt 7 offset 1,0.5 left noenhanced notitle, 4e+12*x < 6e+13 ? 4e+12*x : 6e+13 with lines lw 2 title "f32", 4e+12*x < 3e+13 ? 4e+12*x : 3e+13 with lines lw 2 title "f64", 4e+12*x < 7e+14 ? 4e+12*x : 7e+14 with lines lw 2 title "tensor cores"
unset multiplot
