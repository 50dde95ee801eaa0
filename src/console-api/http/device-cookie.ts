import { timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../../core/id.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import { cookieNameOf, formatCookie, readCookie } from './console-cookie.ts'

/*
 * A browser keeps a signed mark for each user who has signed in with it. A mark gives no access: it only tells the
 * throttle that the browser is known to the user. A password change invalidates earlier marks.
 */

const cookieName = 'tollgate_device'
const idBytes = 16
const lifetimeMs = 180 * 24 * 60 * 60 * 1000
/** Users who share a browser; the one who signed in longest ago is dropped first. */
const marksMax = 4
const markShape = /^([\w-]{22})~([0-9a-z]{1,11})~([\w-]{43})$/

interface Mark {
  readonly id: string
  readonly madeAtMs: number
  readonly mac: string
}

interface DeviceUser {
  readonly id: string
  readonly passwordHash: string
}

interface MarkDeps {
  readonly vault: Vault
  readonly nowMs: number
}

export function hasDeviceCookie(request: Request): boolean {
  return readMarks(request).length > 0
}

/** The device id, if the device has a mark of this user. */
export function findDevice(request: Request, user: DeviceUser, deps: MarkDeps): string | undefined {
  return readMarks(request).find((mark) => isMarkOf(mark, user, deps))?.id
}

/** The cookie with a new mark of this user; marks of other users are kept. */
export function deviceCookie(
  request: Request,
  user: DeviceUser,
  deps: MarkDeps & { readonly random: RandomBytes; readonly isSecure: boolean },
): string {
  const { vault, nowMs, random, isSecure } = deps
  const marks = readMarks(request)
  const known = marks.find((mark) => isMarkOf(mark, user, deps))
  const id = known?.id ?? Buffer.from(random(idBytes)).toString('base64url')
  const made = { id, madeAtMs: nowMs, mac: macOf(vault, user, id, nowMs) }
  const kept = [made, ...marks.filter((mark) => mark !== known)].slice(0, marksMax)
  const value = kept.map((mark) => `${mark.id}~${mark.madeAtMs.toString(36)}~${mark.mac}`).join('.')
  return formatCookie(cookieName, value, { maxAgeSeconds: lifetimeMs / 1000, isSecure })
}

function readMarks(request: Request): Mark[] {
  // Marks are signed and give no access, so those from before the prefix, and of plain http, stay good.
  const [secure, plain] = [true, false].map((isSecure) =>
    readCookie(request, cookieNameOf(cookieName, isSecure), /^./),
  )
  const value = secure ?? plain ?? ''
  return value.split('.', marksMax).flatMap((text) => {
    const [, id = '', madeAt = '', mac = ''] = markShape.exec(text) ?? []
    return mac === '' ? [] : [{ id, madeAtMs: Number.parseInt(madeAt, 36), mac }]
  })
}

function isMarkOf(mark: Mark, user: DeviceUser, { vault, nowMs }: MarkDeps): boolean {
  const ageMs = nowMs - mark.madeAtMs
  const right = Buffer.from(macOf(vault, user, mark.id, mark.madeAtMs))
  const given = Buffer.from(mark.mac)
  const isRight = right.length === given.length && timingSafeEqual(right, given)
  return isRight && ageMs >= 0 && ageMs < lifetimeMs
}

function macOf(vault: Vault, user: DeviceUser, id: string, madeAtMs: number): string {
  return vault.lookupHash(`device ${id} ${madeAtMs} ${user.id} ${user.passwordHash}`)
}
