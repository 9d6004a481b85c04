// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class Cache {
  /** Opens the cache in its usual folder: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or
   * ~/.cache/cucore.
   * @throws IoException the folder belongs to another user, or others can write to it */
  public Cache() {
    this((CacheOptions) null);
  }

  /** Opens the cache in a folder. A folder that cannot be created or written to is not a failure.
   * The cache then works in memory, or only reads, and logs that.
   * @param directory the folder, which is created if it is missing
   * @throws IoException the folder belongs to another user, or others can write to it */
  public Cache(java.nio.file.Path directory) {
    this(CacheOptions.builder().directory(Given.notNull(directory, "directory").toString()).build());
  }

  //: cucore_cache_compile
  // @return the object code, and the place where it was found
  public CacheResult compile(Program program, CodeType target, String... nameExpressions) {
    int[] outcome = new int[1];
    ObjectCode code = compileNow(program, target, Given.noneNull(nameExpressions, "nameExpressions"), outcome);
    return new CacheResult(code, CacheOutcome.of(outcome[0]));
  }

  //: cucore_cache_find
  public CacheResult find(Program program, CodeType target, String... nameExpressions) {
    int[] outcome = new int[1];
    ObjectCode code = findNow(program, target, Given.noneNull(nameExpressions, "nameExpressions"), outcome);
    return code == null ? null : new CacheResult(code, CacheOutcome.of(outcome[0]));
  }

  //: cucore_cache_link
  // @return the object code, and the place where it was found
  public CacheResult link(Linker linker, CodeType target) {
    int[] outcome = new int[1];
    ObjectCode code = linkNow(linker, target, outcome);
    return new CacheResult(code, CacheOutcome.of(outcome[0]));
  }

  //: cucore_cache_get_or_build
  // @param <E> the checked exception that build throws
  // @return the object code, and the place where it was found; a new build returns the object of build
  // @throws E the exception of build, unchanged
  public <E extends Exception> CacheResult getOrBuild(byte[] key, CacheBuild<E> build) throws E {
    CacheBuilding building = new CacheBuilding(build);
    int[] outcome = new int[1];
    // exceptions of build pass through this
    ObjectCode code = getOrBuildNow(key, building, outcome);
    return building.given(code, CacheOutcome.of(outcome[0]));
  }

  //: cucore_cache_statistics
  public CacheStatistics getStatistics() {
    return new CacheStatistics(statisticsNow());
  }

  //: cucore_cache_statistics_of_all
  // @return the present figures
  public CacheStatistics getStatisticsOfAll() {
    return new CacheStatistics(statisticsOfAllNow());
  }

  //: cucore_cache_query
  // @return one record per file, unmodifiable
  public java.util.List<CacheEntry> getEntries() {
    return CacheEntry.list(entriesNow());
  }

  //: cucore_cache_verify
  // @return every file, unmodifiable; those that are not {@link CacheEntry#isSound()} were damaged
  public java.util.List<CacheEntry> verify() {
    return CacheEntry.list(verifyNow());
  }

  //: cucore_cache_trim
  // @return the removed files, unmodifiable
  public java.util.List<CacheEntry> trim(long maxBytes) {
    return CacheEntry.list(trimNow(Given.notNegative(maxBytes, "maxBytes")));
  }

  //: cucore_cache_explain_miss
  // @return several lines, of which the first begins with "hit", "miss" or "bypassed"
  public String explainMiss(Program program, CodeType target, String... nameExpressions) {
    return explainMissNow(program, target, Given.noneNull(nameExpressions, "nameExpressions"));
  }

  //: cucore_cache_add_remote_url
  // @param url file:///shared/folder, http://host/path, https://, or redis://:password@host:port/database
  public void addRemote(String url) {
    addRemote(url, null);
  }

  //: cucore_cache_add_remote_url
  // @param url file:///shared/folder, http://host/path, https://, or redis://:password@host:port/database
  public void addRemote(String url, RemoteOptions options) {
    NativeLoader.supply(NativeLoader.REMOTES);
    RemoteOptions how = options == null ? RemoteOptions.DEFAULTS : options;
    addRemoteNow(Given.notNull(url, "url"), how.readOnly, how.connectTimeoutMillis, how.timeoutMillis);
  }

  //: said Said.of("Cache", this::isClosed, () -> getDirectory().isEmpty() ? "in memory" : getDirectory())
}
