/**
 * Whether this Linux is built on musl (Alpine and others). Node reports the version of glibc it runs
 * on, and none where there is none.
 * @returns {boolean}
 */
export function isMusl() {
  if (process.platform !== 'linux') return false
  // Without this the report looks up the names of all network peers, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport()
  return !('header' in report && hasGlibc(report.header))
}

/**
 * @param {unknown} header
 * @returns {boolean}
 */
function hasGlibc(header) {
  return typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header
}
