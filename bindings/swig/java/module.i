// What comes behind the sections in Java.
