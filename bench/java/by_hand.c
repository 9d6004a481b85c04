/* SPDX-License-Identifier: Apache-2.0 */
/* The native methods of ByHand.java. */
#include <jni.h>

int overheads_begin(const char* ptx, const char* source, const char* folder);
double overheads_repeat(int number, int count);
int overheads_once(int number);
const char* overheads_failure(void);
int graphs_open(void);
double graphs_repeat(int number, int is_bare, int count);
int graphs_once(int number);
int graphs_step(int step);

JNIEXPORT jint JNICALL Java_ByHand_begin(JNIEnv* env, jclass type, jstring ptx, jstring source,
                                         jstring folder) {
  const char* texts[3];
  const jstring all[] = {ptx, source, folder};
  (void)type;
  /* The rows keep the texts until the process ends. */
  for (int i = 0; i < 3; ++i) texts[i] = (*env)->GetStringUTFChars(env, all[i], NULL);
  return overheads_begin(texts[0], texts[1], texts[2]);
}

JNIEXPORT jstring JNICALL Java_ByHand_failure(JNIEnv* env, jclass type) {
  (void)type;
  return (*env)->NewStringUTF(env, overheads_failure());
}

JNIEXPORT jdouble JNICALL Java_ByHand_repeat(JNIEnv* env, jclass type, jint number, jint count) {
  (void)env, (void)type;
  return overheads_repeat(number, count);
}

JNIEXPORT jint JNICALL Java_ByHand_once(JNIEnv* env, jclass type, jint number) {
  (void)env, (void)type;
  return overheads_once(number);
}

JNIEXPORT jint JNICALL Java_ByHand_beginGraphs(JNIEnv* env, jclass type) {
  (void)env, (void)type;
  return graphs_open();
}

JNIEXPORT jdouble JNICALL Java_ByHand_repeatGraph(JNIEnv* env, jclass type, jint number,
                                                  jboolean is_bare, jint count) {
  (void)env, (void)type;
  return graphs_repeat(number, is_bare, count);
}

JNIEXPORT jint JNICALL Java_ByHand_onceGraph(JNIEnv* env, jclass type, jint number) {
  (void)env, (void)type;
  return graphs_once(number);
}

JNIEXPORT jint JNICALL Java_ByHand_stepGraph(JNIEnv* env, jclass type, jint step) {
  (void)env, (void)type;
  return graphs_step(step);
}
