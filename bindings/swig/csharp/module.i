// What comes behind the sections in C#.
