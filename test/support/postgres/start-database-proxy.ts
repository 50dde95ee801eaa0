import { connect, createServer, type Socket } from 'node:net'

/** A proxy to a Postgres server that can drop packets and count round trips. */
export interface DatabaseProxy {
  /** The URL of the same database through the proxy. */
  readonly url: string
  /**
   * The number of sequential round trips. Data sent on any connection during a round trip goes with the next one.
   * Counted only with `tripMs`.
   */
  roundTrips(): number
  /** The number of connections since the start. */
  opened(): number
  /** From now on, data on open connections is dropped without closing them. New connections work. */
  silenceOpen(): void
  /** The same for new connections: they are accepted and never answered. */
  silenceNew(): void
  /** New connections work again; silenced connections stay silent. */
  heal(): void
  stop(): Promise<void>
}

interface Line {
  readonly client: Socket
  readonly server: Socket | undefined
  isSilent: boolean
}

export async function startDatabaseProxy(
  databaseUrl: string,
  options: { readonly tripMs?: number } = {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const lines = new Set<Line>()
  let trips = 0
  let opened = 0
  let isNewSilent = false
  let leaving: (() => void)[] | undefined

  /** Sends at once, or together with everything else that is sent until the next round trip begins. */
  const send = (work: () => void): void => {
    if (options.tripMs === undefined) {
      work()
      return
    }
    if (leaving) {
      leaving.push(work)
      return
    }
    leaving = [work]
    trips += 1
    setTimeout(() => {
      const works = leaving ?? []
      leaving = undefined
      for (const each of works) each()
    }, options.tripMs)
  }

  const listener = createServer((client) => {
    const line = isNewSilent ? deafLine(client) : openLine(client)
    lines.add(line)
    opened += 1
    client.on('error', () => undefined)
    client.on('close', () => {
      lines.delete(line)
      line.server?.destroy()
    })
  })
  const openLine = (client: Socket): Line => {
    const server = connect(Number(target.port || 5432), target.hostname)
    const line = { client, server, isSilent: false }
    client.on('data', (bytes) => {
      if (!line.isSilent) send(() => server.write(bytes))
    })
    server.on('data', (bytes) => {
      if (!line.isSilent) client.write(bytes)
    })
    server.on('error', () => undefined)
    server.on('close', () => {
      if (!line.isSilent) client.destroy()
    })
    return line
  }
  const port = await new Promise<number>((resolve) => {
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    roundTrips: () => trips,
    opened: () => opened,
    silenceOpen: () => {
      for (const line of lines) line.isSilent = true
    },
    silenceNew: () => {
      isNewSilent = true
    },
    heal: () => {
      isNewSilent = false
    },
    stop: async () => {
      for (const { client, server } of lines) {
        client.destroy()
        server?.destroy()
      }
      await new Promise((resolve) => {
        listener.close(resolve)
      })
    },
  }
}

function deafLine(client: Socket): Line {
  client.resume()
  return { client, server: undefined, isSilent: true }
}
