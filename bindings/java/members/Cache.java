// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class Cache {
  /** Opens the cache in its usual folder: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or
   * ~/.cache/cucore.
   * @throws IoException the folder belongs to another user, or others can write to it */
  public Cache() {
    this((CacheOptions) null);
  }

  /** Opens the cache in a folder. One that cannot be made or written to is no failure: the cache then
   * works in memory, or reads only, and says so through the log.
   * @param directory the folder, which is made where it is not there
   * @throws IoException the folder belongs to another user, or others can write to it */
  public Cache(java.nio.file.Path directory) {
    this(CacheOptions.builder().directory(Given.notNull(directory, "directory").toString()).build());
  }

  //: cucore_cache_compile
  // @return the object code, and where it came from
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
  // @return the object code, and where it came from
  public CacheResult link(Linker linker, CodeType target) {
    int[] outcome = new int[1];
    ObjectCode code = linkNow(linker, target, outcome);
    return new CacheResult(code, CacheOutcome.of(outcome[0]));
  }

  //: cucore_cache_get_or_build
  // @param <E> the checked exception that build throws
  // @return the object code, and where it came from; if it was built now, the object that build gave
  // @throws E what build threw: the same exception
  public <E extends Exception> CacheResult getOrBuild(byte[] key, CacheBuild<E> build) throws E {
    CacheBuilding building = new CacheBuilding(build);
    int[] outcome = new int[1];
    ObjectCode code = getOrBuildNow(key, building, outcome); // what build throws goes through this
    return building.given(code, CacheOutcome.of(outcome[0]));
  }

  //: cucore_cache_statistics
  public CacheStatistics getStatistics() {
    return new CacheStatistics(statisticsNow());
  }

  //: cucore_cache_statistics_of_all
  // @return the figures of this moment
  public CacheStatistics getStatisticsOfAll() {
    return new CacheStatistics(statisticsOfAllNow());
  }

  //: cucore_cache_query
  // @return one record a file, unmodifiable
  public java.util.List<CacheEntry> getEntries() {
    return CacheEntry.list(entriesNow());
  }

  //: cucore_cache_verify
  // @return every file, unmodifiable; what is not {@link CacheEntry#isSound()} was damaged
  public java.util.List<CacheEntry> verify() {
    return CacheEntry.list(verifyNow());
  }

  //: cucore_cache_trim
  // @return what was removed, unmodifiable
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
    RemoteOptions how = options == null ? RemoteOptions.DEFAULTS : options;
    addRemoteNow(Given.notNull(url, "url"), how.readOnly, how.connectTimeoutMillis, how.timeoutMillis);
  }

  //: said Said.of("Cache", this::isClosed, () -> getDirectory().isEmpty() ? "in memory" : getDirectory())
}
