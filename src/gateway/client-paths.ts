import { type ProtocolName, protocolNames } from '../core/neutral/protocol-name.ts'
import { protocols } from '../protocols/index.ts'

/** The paths that clients of a protocol call, relative to the gateway's base URL, and the headers that only they send. */
export function clientPathsOf(protocol: ProtocolName) {
  const { clientCalls, passThrough } = protocols[protocol]
  const { basePath, generatePath, ownHeaders } = clientCalls
  const headers = [...ownHeaders, ...passThrough.forwardedHeaders]
  return { base: basePath, ...generatePath, headers }
}

const calls = protocolNames.map((name) => protocols[name].clientCalls)

/** The paths of all protocols that contain no id. */
export const fixedPaths: readonly string[] = [...new Set(calls.flatMap((each) => each.fixedPaths))]
/** The path of each protocol that generates an answer. */
export const generatePaths: readonly string[] = calls.map(({ generatePath }) => generatePath.whole)
/** The segments after which an id follows, in any protocol. */
export const segmentsBeforeIds: ReadonlySet<string> = new Set(
  calls.flatMap(({ idsAfter }) => idsAfter),
)
