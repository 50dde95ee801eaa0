import { join } from 'node:path'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { conversationFeatures } from './conversation-features.ts'
import { judgeReply } from './judge-reply.ts'
import { judgeRequest } from './judge-request.ts'
import { replyFeatures } from './reply-features.ts'
import type { RequestFeature } from './request-feature.ts'
import { settingFeatures } from './setting-features.ts'
import { toolFeatures } from './tool-features.ts'

const allFeatures = [...conversationFeatures, ...toolFeatures, ...settingFeatures]

export const matrixPath = join(import.meta.dir, '../../../docs/protocols/matrix.md')

/** Renders docs/protocols/matrix.md: how each pair of protocols handles each feature. */
export function renderMatrix(): string {
  const head = [
    '# Translation matrix',
    '',
    'The tables show what happens to each feature when the gateway translates between two protocols. The tests generate this page from the code (`node tools/golden.mjs --write`), and `npm test` compares the two. The upstream is the newest model of the protocol’s own vendor; older models accept less, with the same kinds of warnings. If client and upstream speak the same protocol, the gateway forwards the bytes unchanged.',
    '',
    '- **carried**: sent to the other side.',
    '- **noted**: dropped or changed, without a change in meaning. The warning is in `x-gateway-warnings` and in the usage row.',
    '- **warned**: dropped or changed, and the reply may have another meaning. The warning is in the same places; a group with `unsupported: reject` returns 400.',
    '- **up to the model**: the upstream has no field for it; the model decides.',
    '- **rejected**: 400 in every group, with the name of the field.\n- **dropped**: missing in the translated reply.',
    '',
  ]
  const requests = protocolNames.flatMap((client) => [
    `## Requests of ${client} clients`,
    '',
    ...requestTable(client),
    '',
  ])
  const replies = protocolNames.flatMap((upstream) => [
    `## Replies of ${upstream} upstreams`,
    '',
    ...replyTable(upstream),
    '',
  ])
  return [...head, ...requests, ...replies].join('\n').trimEnd().concat('\n')
}

function othersOf(own: ProtocolName): ProtocolName[] {
  return protocolNames.filter((name) => name !== own)
}

function requestTable(client: ProtocolName): string[] {
  const upstreams = othersOf(client)
  const rows = allFeatures.flatMap((feature) => {
    if (!feature.bodies[client]) return []
    return [[feature.name, ...upstreams.map((upstream) => requestCell(feature, client, upstream))]]
  })
  return table(['', ...upstreams.map((upstream) => `to ${upstream}`)], rows)
}

function requestCell(
  { bodies, without, byItself }: RequestFeature,
  client: ProtocolName,
  upstream: ProtocolName,
): string {
  const verdict = judgeRequest(client, upstream, bodies[client] ?? {}, without?.[client])
  if (verdict.type === 'lost' && byItself?.includes(upstream)) return 'up to the model'
  if (verdict.type !== 'noted' && verdict.type !== 'warned') return verdict.type
  return `${verdict.type}: ${verdict.warnings.map((warning) => `\`${warning}\``).join(' ')}`
}

function replyTable(upstream: ProtocolName): string[] {
  const clients = othersOf(upstream)
  const rows = replyFeatures.flatMap(({ name, mark, replies }) => {
    const reply = replies[upstream]
    if (reply === undefined) return []
    return [[name, ...clients.map((client) => judgeReply(upstream, client, reply, mark))]]
  })
  return table(['', ...clients.map((client) => `to ${client}`)], rows)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((cell, at) =>
    Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)]
}
