# gnuplot
set title "no kernel was launched"
set xrange [0:1]
set yrange [0:1]
plot 2 notitle
