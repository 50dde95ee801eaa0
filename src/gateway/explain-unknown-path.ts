import { fixedPaths, generatePaths } from './client-paths.ts'

const shownLengthMax = 200
/** The paths under /v1 without this prefix. */
const bare = fixedPaths.flatMap((path) => /^\/v1\/(.+)$/.exec(path)?.[1] ?? [])
const lastSegment = new RegExp(`(?:^|/)(${bare.join('|')})/?$`)
const googleCall = /^\/models\/.+:\w+$/
const doubledPrefix = /^\/(v1|v1beta)\/(?:v1|v1beta)\//

const served = `It serves ${generatePaths.join(', ')} and /v1/models.`

/** Most unknown paths come from a base URL that is almost right, so the message says what to change in it. */
export function explainUnknownPath(method: string, path: string): string {
  const shown = path.slice(0, shownLengthMax)
  const missing = `There is no ${method} ${shown} on this gateway`
  const doubled = doubledPrefix.exec(path)?.[1]
  if (doubled !== undefined) {
    return `${missing}: the base URL of your client already contains /${doubled}, and the client adds it again. Remove it from the base URL.`
  }
  const known = lastSegment.exec(path)?.[1]
  const isBare = path === `/${known}` || googleCall.test(path)
  if (isBare) {
    const version = known === undefined ? '/v1beta' : '/v1'
    return `${missing}: the base URL of your client lacks ${version}. Add it to the base URL.`
  }
  if (known !== undefined) return `${missing}, but /v1/${known} exists.`
  return path === '/' ? `${missing}. The console is at /console/.` : `${missing}. ${served}`
}
