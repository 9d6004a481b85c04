// SPDX-License-Identifier: Apache-2.0
// A page that was opened as a file may not read other files, so results of the search then have no excerpt.
if (location.protocol === 'file:') DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
