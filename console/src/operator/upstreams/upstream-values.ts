import type {
  ShownTimeouts,
  UpstreamDetail,
  UpstreamProtocol,
  UpstreamSettings,
} from '../../../../src/console-api/contract.ts'
import { type Parameters, policyOf, rowsOf } from './parameter-rows.ts'

export const timeoutNames = [
  'connectMs',
  'headersMs',
  'wholeMs',
  'firstTokenMs',
  'reasoningMs',
  'idleMs',
  'totalMs',
] as const satisfies readonly (keyof ShownTimeouts)[]

type Seconds = number | ''

/** `auto` uses the default of the vendor. */
export const abortChoices = ['auto', 'yes', 'no'] as const
type BillsOnAbort = (typeof abortChoices)[number]

/** Form values. An empty field means the gateway's default; secrets are write-only. */
export interface UpstreamValues {
  id: string
  vendor: string
  protocol: UpstreamProtocol
  baseUrl: string
  credential: string
  isEnabled: boolean
  concurrencyMax: number | ''
  timeouts: Record<keyof ShownTimeouts, Seconds>
  proxy: string
  isProxyRemoved: boolean
  ca: string
  allowsPrivate: boolean
  billsOnAbort: BillsOnAbort
  isProbed: boolean
  probeSeconds: Seconds
  probeModel: string
  parameters: Parameters
}

export const secondMs = 1_000
const probeSecondsFirst = 30

const noTimeouts: UpstreamValues['timeouts'] = {
  connectMs: '',
  headersMs: '',
  wholeMs: '',
  firstTokenMs: '',
  reasoningMs: '',
  idleMs: '',
  totalMs: '',
}

export function valuesOf(detail: UpstreamDetail | undefined): UpstreamValues {
  const settings = detail?.settings
  const timeouts = { ...noTimeouts }
  for (const name of timeoutNames) {
    const ms = settings?.timeouts[name]
    if (ms !== undefined) timeouts[name] = ms / secondMs
  }
  return {
    id: detail?.id ?? '',
    vendor: settings?.vendor ?? '',
    protocol: settings?.protocol ?? 'any',
    baseUrl: settings?.baseUrl ?? '',
    credential: '',
    isEnabled: settings?.isEnabled ?? true,
    concurrencyMax: settings?.concurrencyMax ?? '',
    timeouts,
    proxy: '',
    isProxyRemoved: false,
    ca: settings?.ca ?? '',
    allowsPrivate: settings?.allowsPrivate ?? false,
    billsOnAbort: abortChoiceOf(settings?.billsOnAbort ?? null),
    isProbed: (settings?.probe ?? null) !== null,
    probeSeconds: settings?.probe ? settings.probe.everyMs / secondMs : probeSecondsFirst,
    probeModel: settings?.probe?.model ?? '',
    parameters: {
      rows: rowsOf(settings?.parameters ?? null),
      outputLimit: settings?.parameters?.outputLimit,
    },
  }
}

function abortChoiceOf(billsOnAbort: boolean | null): BillsOnAbort {
  if (billsOnAbort === null) return 'auto'
  return billsOnAbort ? 'yes' : 'no'
}

export function settingsOf(values: UpstreamValues): UpstreamSettings {
  const timeouts: Partial<Record<keyof ShownTimeouts, number>> = {}
  for (const name of timeoutNames) {
    const seconds = values.timeouts[name]
    if (seconds !== '') timeouts[name] = Math.round(seconds * secondMs)
  }
  return {
    vendor: values.vendor,
    protocol: values.protocol,
    baseUrl: values.baseUrl.trim() === '' ? null : values.baseUrl.trim(),
    isEnabled: values.isEnabled,
    concurrencyMax: values.concurrencyMax === '' ? null : values.concurrencyMax,
    timeouts,
    ca: values.ca.trim() === '' ? null : values.ca,
    allowsPrivate: values.allowsPrivate,
    billsOnAbort: values.billsOnAbort === 'auto' ? null : values.billsOnAbort === 'yes',
    probe:
      values.isProbed && values.probeSeconds !== ''
        ? {
            everyMs: Math.round(values.probeSeconds * secondMs),
            model: values.probeModel === '' ? null : values.probeModel,
          }
        : null,
    parameters: policyOf(values.parameters.rows, values.parameters.outputLimit),
  }
}

/** The proxy to send; absent if it is unchanged. */
export function proxyOf(values: UpstreamValues): { proxy?: string | null } {
  if (values.proxy !== '') return { proxy: values.proxy }
  return values.isProxyRemoved ? { proxy: null } : {}
}
