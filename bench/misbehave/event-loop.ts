// Measures how long one request or reply of the largest size blocks the event loop, for each shape, protocol and path
// through the gateway.
import { rmSync } from 'node:fs'
import { type ProtocolName, protocolNames } from '../../src/core/neutral/protocol-name.ts'
import { stopAllChildren } from '../children.ts'
import { bodyOf, conversationOf, pathOf, shapes, turnsOf } from './bodies.ts'
import { conversations } from './conversations.ts'
import { documentCases, makeToken, measureDocument } from './documents.ts'
import { replyShapes, streamShapes } from './replies.ts'
import { longStreamShapes, storedShapes } from './streams.ts'
import { key, modelOf, startWatchedGateway, type WatchedGateway } from './watched-gateway.ts'

const blockMsMax = 50

interface Case {
  readonly name: string
  readonly protocol: ProtocolName
  readonly way: string
  readonly path: string
  readonly body: () => Uint8Array<ArrayBuffer>
}

interface BodyShape {
  readonly name: string
  readonly body: (protocol: ProtocolName, model: string) => Uint8Array<ArrayBuffer>
}

const bodyShapes: readonly BodyShape[] = [
  ...shapes.map((shape) => ({
    name: shape.name,
    body: (protocol: ProtocolName, model: string) => bodyOf(protocol, model, shape),
  })),
  { name: '200,000 turns', body: (protocol, model) => turnsOf(protocol, model, 200_000) },
  { name: '20,000 turns', body: (protocol, model) => turnsOf(protocol, model, 20_000) },
  { name: '14,000 turns', body: (protocol, model) => turnsOf(protocol, model, 14_000) },
  ...conversations.map((shape) => ({
    name: shape.name,
    body: (protocol: ProtocolName, model: string) => conversationOf(protocol, model, shape),
  })),
]

function* casesOf(only: string | undefined): Generator<Case> {
  for (const shape of bodyShapes) {
    for (const protocol of protocolNames) {
      const other = protocol === 'messages' ? 'chat-completions' : 'messages'
      for (const [way, upstream, isCount] of [
        ['as it is', protocol, false],
        ['translated', other, false],
        ['counted', protocol, true],
        ['counted elsewhere', other, true],
      ] as const) {
        if (isCount && protocol === 'chat-completions') continue
        const name = `${shape.name}, ${protocol}, ${way}`
        if (only !== undefined && !name.includes(only)) continue
        const model = modelOf(upstream)
        const path = pathOf(protocol, model, isCount ? 'count' : 'whole')
        yield { name: shape.name, protocol, way, path, body: () => shape.body(protocol, model) }
      }
    }
  }
}

/** Large and unusual replies, whole and streamed, passed through and translated. */
function* replyCasesOf(only: string | undefined): Generator<Case> {
  const cases = [
    ...Object.keys(replyShapes).flatMap((shape) => [
      { shape, isStream: false, what: 'whole' },
      { shape, isStream: true, what: 'one event' },
    ]),
    ...streamShapes.map((shape) => ({ shape, isStream: true, what: 'a stream' })),
  ]
  for (const { shape, isStream, what } of cases) {
    for (const upstream of protocolNames) {
      if (shape === 'image' && upstream === 'messages') continue
      const other = upstream === 'messages' ? 'chat-completions' : 'messages'
      for (const [way, client] of [
        ['as it is', upstream],
        ['translated', upstream === 'responses' ? 'chat-completions' : other],
        ['translated to responses', 'responses'],
      ] as const) {
        if (way === 'translated to responses' && upstream === 'responses') continue
        const name = `reply: ${shape}, ${what}, ${upstream}, ${way}`
        if (only !== undefined && !name.includes(only)) continue
        const model = modelOf(upstream)
        const text = () => `"shape: ${shape}!"`
        const body = () => bodyOf(client, model, { name, text }, isStream)
        const path = pathOf(client, model, isStream ? 'stream' : 'whole')
        yield { name: `reply: ${shape}, ${what}`, protocol: upstream, way, path, body }
      }
    }
  }
}

/** Long answers in a very large number of pieces, or of the largest size, for every pair of protocols. */
function* longStreamCasesOf(only: string | undefined): Generator<Case> {
  for (const shape of longStreamShapes) {
    for (const upstream of protocolNames) {
      for (const client of protocolNames) {
        const isStored = shape in storedShapes
        if (client === upstream || (isStored && client !== 'responses')) continue
        const way = `to ${client}`
        const name = `reply: ${shape}, a stream, ${upstream}, ${way}`
        if (only !== undefined && !name.includes(only)) continue
        const model = modelOf(upstream)
        const text = () => `"shape: ${shape}!"`
        yield {
          name: `reply: ${shape}, a stream`,
          protocol: upstream,
          way,
          path: pathOf(client, model, 'stream'),
          body: () => bodyOf(client, model, { name, text, isStored }, true),
        }
      }
    }
  }
}

async function measure(gateway: WatchedGateway, { path, body }: Case) {
  const bytes = body()
  await Bun.sleep(300)
  await gateway.watch()
  const startedAt = performance.now()
  const reply = await fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: bytes,
  })
  const { byteLength } = await reply.arrayBuffer()
  const tookMs = performance.now() - startedAt
  const megabytes = Math.max(bytes.length, byteLength) / 1e6
  return { status: reply.status, megabytes, tookMs, ...(await gateway.watch()) }
}

/** Prints a row and returns the longest working time. */
function print(name: string, figures: Awaited<ReturnType<typeof measure>>): number {
  const { status, megabytes, tookMs, longestMs, longestCpuMs, residentMegabytes } = figures
  process.stdout.write(
    `| ${name} | ${megabytes.toFixed(1)} MB | ${status} | ${tookMs.toFixed(0)} ms | ${longestMs.toFixed(1)} ms | ${longestCpuMs.toFixed(1)} ms | ${residentMegabytes.toFixed(0)} MB |\n`,
  )
  return longestCpuMs
}

/** Prints a table; returns 1 when a request blocked the event loop for too long. */
export async function runEventLoop(entry: string, only: string | undefined): Promise<number> {
  const gateway = await startWatchedGateway(entry)
  const tooLong: string[] = []
  try {
    // Warms up, so that hot code is compiled.
    for (const each of casesOf('base64')) await measure(gateway, each)
    for (const each of [...casesOf(only), ...replyCasesOf(only), ...longStreamCasesOf(only)]) {
      const name = `${each.name} | ${each.protocol} | ${each.way}`
      if (print(name, await measure(gateway, each)) > blockMsMax) tooLong.push(name)
    }
    // Documents come last, because the resources that they create stay.
    const documents = [...documentCases(only)]
    const token = documents.length > 0 ? await makeToken(entry, gateway) : ''
    for (const each of documents) {
      const name = `${each.name} | admin API | ${each.method}`
      if (print(name, await measureDocument(gateway, token, each)) > blockMsMax) tooLong.push(name)
    }
  } finally {
    await stopAllChildren()
    rmSync(gateway.folder, { recursive: true, force: true })
  }
  process.stdout.write(`${tooLong.length} over ${blockMsMax} ms\n`)
  return tooLong.length > 0 ? 1 : 0
}
