import { deviceCookie } from '../../http/device-cookie.ts'
import type { RouteCall } from '../../routes/route.ts'

/** The cookie that makes this browser known; none for a user without a password, who cannot be attacked by guessing. */
export async function rememberDevice(call: RouteCall, userId: string): Promise<string[]> {
  const { engine, vault, random, clock } = call.deps
  const row = await engine.db
    .selectFrom('console_user')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirst()
  const passwordHash = row?.password_hash ?? undefined
  if (passwordHash === undefined) return []
  const parts = { vault, random, nowMs: clock.nowMs(), isSecure: call.isSecure }
  return [deviceCookie(call.request, { id: userId, passwordHash }, parts)]
}
