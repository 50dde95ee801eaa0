import { join } from 'node:path'
import { type ProtocolName, protocolNames } from '../../../src/core/protocol-name.ts'
import { conversationFeatures } from './conversation-features.ts'
import { judgeReply } from './judge-reply.ts'
import { judgeRequest } from './judge-request.ts'
import { replyFeatures } from './reply-features.ts'
import type { RequestFeature } from './request-feature.ts'
import { toolFeatures } from './tool-features.ts'
import { wishFeatures } from './wish-features.ts'

const allFeatures = [...conversationFeatures, ...toolFeatures, ...wishFeatures]

export const matrixPath = join(import.meta.dir, '../../../docs/protocols/matrix.md')

/** The page docs/protocols/matrix.md: what each pair of protocols does with each feature. */
export function renderMatrix(): string {
  const head = [
    '# What passes from protocol to protocol',
    '',
    'Written by the tests from what the code does (`node tools/golden.mjs --write`), and compared with it by `npm test`. The upstream is the newest model of the protocol’s own vendor; older ones have narrower habits, which are noted in the same way. Between two that speak the same protocol the bytes are forwarded as they are.',
    '',
    '- **carried**: the upstream is told.',
    '- **noted**: left out or changed, and the answer means the same. The note is in `x-gateway-warnings` and in the usage row.',
    '- **warned**: left out or changed, and the answer may mean something else. Noted in the same way; a strict group answers 400.',
    '- **by itself**: the upstream has no switch for it and does so, or not, by itself.',
    '- **refused**: 400 in every group, with the name of the field.',
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
  if (verdict.type === 'lost' && byItself?.includes(upstream)) return 'by itself'
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
