/**
 * Whether this Linux uses musl (Alpine and others). Node reports the version of glibc, and none on musl.
 * @returns {boolean}
 */
export function isMusl() {
  if (process.platform !== 'linux') return false
  // Without this option the report resolves the names of all network peers, which can take seconds.
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
