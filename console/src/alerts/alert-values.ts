import {
  type AlertKind,
  accountAlertKinds,
  alertDefinition,
  alertKinds,
} from '../../../src/alerts/definition/alert.ts'
import type {
  AlertEditRequest,
  AlertRow,
  CreateAlertRequest,
} from '../../../src/console-api/contract.ts'
import { moneyKind } from '../../../src/fields/kinds.ts'
import { writtenToWire } from '../../../src/fields/written-to-wire.ts'
import type { Reach } from '../tokens/reach.ts'

/** The values as typed. Amounts are in US dollars. */
export interface AlertFormValues {
  readonly name: string
  readonly reach: Reach
  readonly accountId: string | null
  readonly channel: AlertRow['channel']
  readonly emails: readonly string[]
  /** Empty: the stored URL or secret stays. */
  readonly url: string
  readonly secret: string
  readonly kinds: readonly AlertRow['kinds'][number][]
  readonly creditBelowNano: string
  readonly keyExpiryDays: number | string
  readonly spendFactor: number | string
  readonly spendFloorNano: string
  readonly language: AlertRow['language']
  readonly isEnabled: boolean
}

const { fields } = alertDefinition

export function newAlertValues(
  accountId: string | null,
  {
    recipient,
    hasMail,
    language,
  }: {
    recipient: string | undefined
    hasMail: boolean
    language: AlertRow['language']
  },
): AlertFormValues {
  return {
    name: '',
    reach: accountId === null ? 'gateway' : 'account',
    accountId,
    channel: hasMail ? 'email' : 'webhook',
    emails: recipient === undefined ? [] : [recipient],
    url: '',
    secret: '',
    kinds: [...accountAlertKinds],
    creditBelowNano: dollars(fields.creditBelowNano.initial),
    keyExpiryDays: fields.keyExpiryDays.initial,
    spendFactor: fields.spendFactor.initial,
    spendFloorNano: dollars(fields.spendFloorNano.initial),
    language,
    isEnabled: true,
  }
}

export function alertValuesOf(row: AlertRow): AlertFormValues {
  return {
    ...row,
    reach: row.accountId === null ? 'gateway' : 'account',
    url: '',
    secret: '',
    creditBelowNano: dollars(BigInt(row.creditBelowNano)),
    spendFloorNano: dollars(BigInt(row.spendFloorNano)),
  }
}

/** The kinds that an alert with this reach can have. */
export function offeredKinds(reach: Reach): readonly AlertKind[] {
  return reach === 'gateway' ? alertKinds : accountAlertKinds
}

/** The form keeps kinds that were chosen for the whole gateway, but an alert for one account cannot have them. */
export function chosenKinds({ kinds, reach }: Pick<AlertFormValues, 'kinds' | 'reach'>) {
  return offeredKinds(reach).filter((kind) => kinds.includes(kind))
}

function dollars(nano: bigint): string {
  return String(moneyKind.write(nano))
}

/** All fields that can change are listed, so that a new field of the definition is a type error here. */
export function editOf(
  values: AlertFormValues,
): Required<Omit<AlertEditRequest, 'url' | 'secret'>> & AlertEditRequest {
  const isEmail = values.channel === 'email'
  return {
    name: values.name.trim(),
    emails: isEmail ? [...values.emails] : [],
    kinds: chosenKinds(values),
    creditBelowNano: writtenToWire(moneyKind, values.creditBelowNano) ?? '0',
    keyExpiryDays: Number(values.keyExpiryDays),
    spendFactor: Number(values.spendFactor),
    spendFloorNano: writtenToWire(moneyKind, values.spendFloorNano) ?? '0',
    language: values.language,
    isEnabled: values.isEnabled,
    ...(!isEmail && values.url !== '' && { url: values.url.trim() }),
    ...(values.channel === 'webhook' && values.secret !== '' && { secret: values.secret }),
  }
}

export function requestOf(values: AlertFormValues): CreateAlertRequest {
  const accountId = values.reach === 'gateway' ? null : values.accountId
  return { ...editOf(values), accountId, channel: values.channel }
}
