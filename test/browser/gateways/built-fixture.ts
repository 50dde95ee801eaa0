import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { markSetupClosed } from '../../../src/console-api/handlers/setup/setup-fact.ts'
import { readAssets } from '../../../src/console-api/http/read-assets.ts'
import type { GatewayPorts } from '../../../src/console-api/ports/gateway-ports.ts'
import type { OpenIdProvider } from '../../../src/console-api/ports/open-id-provider.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { ownPort } from './own-port.ts'

const builtFolder = join(import.meta.dirname, '..', '..', '..', 'console', 'dist')

export interface BuiltFixture extends ConsoleFixture {
  /** A URL that signs this user in, once. */
  signInPath(userId: string): Promise<string>
  /** Adds one more request of Acme to the log, and returns its id. */
  addRequest(): Promise<string>
}

/**
 * The console with its built pages, on the database of the other console tests. The log is shorter than a page of the
 * console: to draw all rows of a full page takes four times as long as the rest of the page of usage.
 */
export async function openBuiltFixture({
  requestCount = 30,
  openId,
  gateway = {},
  isLocalhost,
}: {
  readonly requestCount?: number
  readonly openId?: OpenIdProvider
  readonly gateway?: Partial<GatewayPorts>
  /** With a host name, because passkeys need one. */
  readonly isLocalhost?: true
} = {}): Promise<BuiltFixture> {
  if (!existsSync(join(builtFolder, 'index.html'))) {
    throw new Error('The console is not built: npm run build:console')
  }
  const port = ownPort()
  const localUrl = `http://localhost:${port}`
  const fixture = await openConsoleFixture({
    assets: readAssets(builtFolder),
    port,
    requestCount,
    ...(isLocalhost && { relyingParty: { id: 'localhost', origin: localUrl } }),
    ...(openId && { openId }),
    gateway,
  })
  await markSetupClosed(fixture.engine.db, Date.now())
  return {
    ...fixture,
    ...(isLocalhost && { url: localUrl }),
    signInPath: async (userId) => `/console/sign-in#${await fixture.mintLink(userId)}`,
    addRequest: async () => {
      const { db } = fixture.engine
      const last = await db
        .selectFrom('usage_row')
        .selectAll()
        .where('account_id', '=', 'acme')
        .limit(1)
        .executeTakeFirstOrThrow()
      const at = Date.now()
      const id = newRequestId(at)
      await db
        .insertInto('usage_row')
        .values({ ...last, request_id: id, at })
        .execute()
      return id
    },
  }
}
