import { escapePattern } from './plan-parts.mjs'

/**
 * The commands that repeat each failed test alone.
 * @param {string} report what Bun wrote about the run, as JUnit's XML
 * @param {string} suite
 * @returns {string[]}
 */
export function listFailures(report, suite) {
  const cases = report.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)
  return [...cases].flatMap(([, attributes = '', body = '']) => {
    if (!/<(?:failure|error)\b/.test(body)) return []
    const file = attribute(attributes, 'file')
    const groups = attribute(attributes, 'classname').split(' > ')
    const name = [...groups, attribute(attributes, 'name')].filter((word) => word !== '').join(' ')
    return [`npm test -- ${suite} ${file} --name ${quote(escapePattern(name))}`]
  })
}

/**
 * @param {string} attributes
 * @param {string} name
 */
function attribute(attributes, name) {
  const value = new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
  return value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
