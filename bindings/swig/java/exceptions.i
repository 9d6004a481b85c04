// A failed call becomes the exception of its status: CucoreException.make() in Java chooses the class.
%{
static jclass exception_class;
static jmethodID exception_make;

static void raise_failure(JNIEnv *env, const Failure &failure) {
  jstring message = env->NewStringUTF(failure.message());
  jstring log = message ? env->NewStringUTF(failure.log()) : nullptr;
  jstring origin = log ? env->NewStringUTF(failure.origin()) : nullptr;
  jstring name = origin ? env->NewStringUTF(failure.native_name()) : nullptr;
  if (!name) return;
  jobject exception = env->CallStaticObjectMethod(exception_class, exception_make, (jint)failure.status(),
                                                  message, log, origin, (jint)failure.native_code(), name);
  if (exception) env->Throw((jthrowable)exception);
}

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *) {
  JNIEnv *env = nullptr;
  if (vm->GetEnv((void **)&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  jclass found = env->FindClass("io/cucore/CucoreException");
  if (!found) return JNI_ERR;
  exception_class = (jclass)env->NewGlobalRef(found);
  exception_make = env->GetStaticMethodID(
      exception_class, "make",
      "(ILjava/lang/String;Ljava/lang/String;Ljava/lang/String;ILjava/lang/String;)Lio/cucore/CucoreException;");
  return exception_make ? JNI_VERSION_1_8 : JNI_ERR;
}
%}
%exception {
  try { $action }
  catch (const Failure &failure) { raise_failure(jenv, failure); return $null; }
  catch (const std::bad_alloc &) {
    SWIG_JavaThrowException(jenv, SWIG_JavaOutOfMemoryError, "no memory left");
    return $null;
  }
}
