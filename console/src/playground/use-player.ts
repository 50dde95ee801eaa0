import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { csrfHeader, csrfValue, type ProtocolName } from '../../../src/console-api/contract.ts'
import { emptyReply, foldReply, type ModelReply } from './fold-reply.ts'
import { playProtocols } from './protocols.ts'
import { readEvents } from './read-events.ts'
import { asObject, asText, parseText } from './read-json.ts'
import { throttled } from './throttled.ts'
import type { ChatTurn, PlaySettings, WireRequest } from './turn.ts'

/** State of the last request, during and after it. */
export interface Run {
  readonly wire: WireRequest
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly costText: string | undefined
  readonly firstTokenMs: number | undefined
  readonly totalMs: number | undefined
  /** In order of arrival. The oldest are dropped from a very long stream. */
  readonly events: readonly string[]
  readonly reply: ModelReply
  readonly isStopped: boolean
}

const eventsMax = 2_000

/** A stream may send hundreds of events per second, and each drawing renders the whole conversation. */
const pictureMs = 100

interface SendOptions {
  readonly keyId: string
  readonly protocol: ProtocolName
  readonly brand: string
  readonly settings: PlaySettings
  readonly turns: readonly ChatTurn[]
}

/** Sends the conversation with a key and follows the response. One request at a time. */
export function usePlayer() {
  const { t } = useTranslation()
  const [run, setRun] = useState<Run>()
  const [isRunning, setRunning] = useState(false)
  const abort = useRef<AbortController>(undefined)
  const send = async (options: SendOptions): Promise<ModelReply> => {
    const controller = new AbortController()
    abort.current = controller
    setRunning(true)
    let latest: Run = startOf(
      playProtocols[options.protocol].request(options.settings, options.turns),
    )
    const picture = throttled(
      () => setRun(latest),
      (over) => setTimeout(over, pictureMs),
    )
    const show = (change: Partial<Run>) => {
      latest = { ...latest, ...change }
      picture.soon()
    }
    show({})
    const startedMs = performance.now()
    const elapsed = () => Math.round(performance.now() - startedMs)
    try {
      await follow(options, controller.signal, elapsed, () => latest, show)
    } catch {
      if (controller.signal.aborted) show({ isStopped: true })
      else show({ reply: { ...latest.reply, problem: t('error.unreachable') } })
    }
    show({ totalMs: elapsed() })
    picture.now()
    setRunning(false)
    return latest.reply
  }
  return {
    run,
    isRunning,
    send,
    stop: () => abort.current?.abort(),
    clear: () => setRun(undefined),
  }
}

function startOf(wire: WireRequest): Run {
  return {
    wire,
    status: undefined,
    requestId: undefined,
    costText: undefined,
    firstTokenMs: undefined,
    totalMs: undefined,
    events: [],
    reply: emptyReply,
    isStopped: false,
  }
}

async function follow(
  { keyId, protocol, brand }: SendOptions,
  signal: AbortSignal,
  elapsed: () => number,
  latest: () => Run,
  show: (change: Partial<Run>) => void,
): Promise<void> {
  const { path, body } = latest().wire
  const response = await fetch(`/console/api/playground/${encodeURIComponent(keyId)}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [csrfHeader]: csrfValue,
      ...playProtocols[protocol].headers,
    },
    body: JSON.stringify(body),
    signal,
  })
  show({
    status: response.status,
    requestId: response.headers.get(`x-${brand}-request-id`) ?? undefined,
    costText: response.headers.get(`x-${brand}-cost`) ?? undefined,
  })
  const { read } = playProtocols[protocol]
  const take = (text: string) => {
    const reply = read(parseText(text), latest().reply.turn.calls.length).reduce(
      foldReply,
      latest().reply,
    )
    const isFirst = latest().firstTokenMs === undefined && hasSaid(reply)
    show({
      reply,
      events: [...latest().events, text].slice(-eventsMax),
      ...(isFirst && { firstTokenMs: elapsed() }),
    })
  }
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
  if (isStream && response.body) {
    for await (const data of readEvents(response.body)) take(data)
    return
  }
  const text = await response.text()
  take(text)
  if (!response.ok)
    show({ reply: { ...latest().reply, problem: problemOf(text, response.status) } })
}

function hasSaid({ turn }: ModelReply): boolean {
  return turn.text !== '' || turn.reasoning !== '' || turn.calls.length > 0
}

/** All protocols have the error message in the same place. */
function problemOf(text: string, status: number): string {
  return asText(asObject(asObject(parseText(text))['error'])['message']) ?? `${status}`
}
