import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { parseAddressRange } from '../../../src/core/access/address-range.ts'
import { ConnectionLimits } from '../../../src/http-in/connection-limits.ts'
import { eventually } from '../../support/eventually.ts'
import { openSocket, sendRaw } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const sockets: { readonly socket: Socket; isOpen: boolean }[] = []

async function open(count: number): Promise<void> {
  const before = filesNow()
  for (let each = 0; each < count; each += 1) {
    const socket = await openSocket(gateway().url)
    const entry = { socket, isOpen: true }
    socket.on('close', () => {
      entry.isOpen = false
    })
    sockets.push(entry)
    socket.write('G')
  }
  await eventually('all are accepted', () => filesNow() >= before + 2 * count)
}

let atRest = 0
beforeEach(async () => {
  if (atRest === 0) atRest = filesNow()
  await eventually('the connections of the test before are gone', () => filesNow() <= atRest + 2)
})

afterEach(() => {
  for (const { socket } of sockets.splice(0)) socket.destroy()
})

const filesNow = () => readdirSync('/proc/self/fd').length

interface Row {
  readonly name: string
  readonly perAddressMax: number | 'auto'
  readonly max?: number
  readonly trusted?: string
  readonly left: number
}

const opened = 40

describe('connections beyond the limits are closed, newest first', () => {
  const rows: Row[] = [
    { name: 'one address', perAddressMax: 10, left: 10 },
    { name: 'one address without a limit', perAddressMax: 0, left: opened },
    { name: 'loopback by default', perAddressMax: 'auto', left: opened },
    { name: 'a trusted proxy', perAddressMax: 10, trusted: '127.0.0.1', left: opened },
    { name: 'all', perAddressMax: 0, max: 16, left: 16 },
    {
      name: 'all connections, including a trusted proxy',
      perAddressMax: 10,
      max: 16,
      trusted: '127.0.0.1',
      left: 16,
    },
  ]
  test.each(rows)('$name', async ({ perAddressMax, max = 100_000, trusted, left }) => {
    const range = trusted === undefined ? undefined : parseAddressRange(trusted)
    const closed: number[] = []
    const limits = new ConnectionLimits({
      port: Number(new URL(gateway().url).port),
      perAddressMax,
      max,
      trustedProxies: range ? [range] : [],
      onClosed: ({ count }) => closed.push(count),
    })
    limits.stop()
    const early = 10
    await open(early)
    await limits.look()
    await open(opened - early)
    const before = filesNow()
    await limits.look()
    await eventually(
      'the surplus is closed',
      () => sockets.filter(({ isOpen }) => isOpen).length === left,
    )
    expect(sockets.slice(0, early).every(({ isOpen }) => isOpen)).toBe(true)
    expect(closed.reduce((sum, count) => sum + count, 0)).toBe(opened - left)
    await eventually('their files too', () => filesNow() <= before - 2 * (opened - left))
    // No other connection of the process was affected.
    const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    expect((await sendRaw(gateway().url, [health])).status).toBe(200)
  })
})
