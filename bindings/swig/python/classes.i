// Every class: keywords, and no lock of the interpreter given up where nothing can wait.
%feature("compactdefaultargs");
%feature("kwargs");
