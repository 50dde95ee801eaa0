import type { Opaque } from '../../../core/neutral/model-request.ts'
import type { PartDelta, PartEnd, PartHead } from '../../../core/neutral/reply-event.ts'
import { describeMedia } from '../../fit/describe-media.ts'
import type { SetAsideText } from '../../translation.ts'
import { type CarrierPosition, SealedReasoning, sealFor } from '../values/opaque.ts'
import { OpenPart } from './open-part.ts'
import { callItem, messageItem, reasoningItem } from './output-items.ts'
import type { OutputWriter } from './output-writer.ts'

type ToolCallHead = Extract<PartHead, { type: 'tool-call' }>

interface PartWriterDeps {
  mint(prefix: string): string
  /** Every reasoning item has `encrypted_content`. */
  readonly sealsThoughts: boolean
  readonly setAside: SetAsideText | undefined
}

/** Writes neutral parts as items and parts of items. */
export class ItemPartWriter {
  hasRefusal = false
  readonly #output: OutputWriter
  readonly #mint: (prefix: string) => string
  readonly #sealsThoughts: boolean
  readonly #setAside: SetAsideText | undefined
  #head: PartHead | undefined
  #described: string | undefined
  #part: OpenPart | undefined
  #sealed: SealedReasoning | undefined

  constructor(output: OutputWriter, { mint, sealsThoughts, setAside }: PartWriterDeps) {
    this.#output = output
    this.#mint = mint
    this.#sealsThoughts = sealsThoughts
    this.#setAside = setAside
  }

  /** Text and reasoning open nothing before their first character. */
  start(head: PartHead): string {
    this.#head = head
    this.#part = undefined
    this.#sealed = undefined
    switch (head.type) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        return ''
      case 'tool-call':
        return this.#startCall(head)
      case 'media': {
        if (head.source.type !== 'base64' || !head.mime.startsWith('image/'))
          return this.#describe(head)
        const result = JSON.stringify(head.source.data)
        return this.#output.whole(
          `{"id":"${this.#mint('ig_')}","type":"image_generation_call","status":"completed","result":${result}}`,
        )
      }
      case 'hosted':
        return head.protocol === 'responses' ? this.#output.whole(head.json) : ''
    }
  }

  delta(event: Pick<PartDelta, 'text' | 'logprobs'>): string {
    if (event.text === '') return ''
    const opened = this.#part ? '' : this.#openByHead()
    this.#sealed?.add(event.text)
    return this.#part ? opened + this.#part.delta(event.text, event.logprobs) : ''
  }

  end({ opaque, annotations = [] }: Pick<PartEnd, 'opaque' | 'annotations'>): string {
    const head = this.#head
    const part = this.#part
    this.#head = undefined
    this.#part = undefined
    switch (head?.type) {
      case 'text': {
        const carried = () => (opaque ? this.#carry(opaque, 'last') : '')
        if (!part) return carried()
        const { events, json } = part.annotations(annotations)
        const done = part.done('text')
        return events + done + this.#output.addContent(part.outputText(json)) + carried()
      }
      case 'refusal': {
        if (!part) return ''
        const content = `{"type":"refusal","refusal":${part.json()}}`
        return part.done('refusal') + this.#output.addContent(content)
      }
      case 'reasoning':
        return this.#endReasoning(part, opaque)
      case 'tool-call': {
        const done = this.#endCall(head, part)
        return opaque && !head.opaque ? done + this.#carry(opaque, 'last') : done
      }
      default:
        return ''
    }
  }

  /** Once for all media of one kind, because a stream brings them in many pieces. */
  #describe(head: Extract<PartHead, { type: 'media' }>): string {
    const note = describeMedia(head)
    if (this.#described === note) return ''
    this.#described = note
    return this.start({ type: 'text' }) + this.delta({ text: note }) + this.end({})
  }

  #startCall(head: ToolCallHead): string {
    const carried = head.opaque ? this.#carry(head.opaque, 'next') : ''
    const isCustom = head.form === 'custom'
    const id = this.#mint(isCustom ? 'ctc_' : 'fc_')
    const opened = this.#output.open(callItem(id, head), false)
    const kind = isCustom ? 'custom_tool_call_input' : 'function_call_arguments'
    this.#part = this.#newPart(kind, this.#output.position())
    return carried + opened
  }

  #openByHead(): string {
    switch (this.#head?.type) {
      case 'text':
        return this.#openContent(
          'output_text',
          '{"type":"output_text","text":"","annotations":[],"logprobs":[]}',
        )
      case 'refusal':
        this.hasRefusal = true
        return this.#openContent('refusal', '{"type":"refusal","refusal":""}')
      case 'reasoning':
        return this.#openSummary()
      default:
        return ''
    }
  }

  #openContent(kind: string, empty: string): string {
    const opened = this.#output.isInMessage
      ? ''
      : this.#output.open(messageItem(this.#mint('msg_')), true)
    const position = this.#output.contentPosition()
    this.#part = this.#newPart(kind, position)
    return opened + this.#output.emit('response.content_part.added', `${position}"part":${empty},`)
  }

  #newPart(kind: string, position: string): OpenPart {
    return new OpenPart(this.#output.emit, kind, position, this.#setAside)
  }

  #summaryPosition(): string {
    return `${this.#output.position()}"summary_index":0,`
  }

  #openSummary(): string {
    const opened = this.#output.open(reasoningItem(this.#mint('rs_')), false)
    const position = this.#summaryPosition()
    this.#part = this.#newPart('reasoning_summary_text', position)
    if (this.#sealsThoughts) this.#sealed = new SealedReasoning(this.#setAside)
    const part = `${position}"part":{"type":"summary_text","text":""},`
    return opened + this.#output.emit('response.reasoning_summary_part.added', part)
  }

  #endReasoning(part: OpenPart | undefined, opaque: Opaque | undefined): string {
    if (!part) return opaque ? this.#carry(opaque, 'own') : ''
    const summary = `{"type":"summary_text","text":${part.json()}}`
    const ended = part.done('text')
    const members = `${this.#summaryPosition()}"part":${summary},`
    this.#output.fill(`"summary":[${summary}]${this.#sealedMember(opaque)}`)
    return ended + this.#output.emit('response.reasoning_summary_part.done', members)
  }

  #sealedMember(opaque: Opaque | undefined): string {
    if (opaque) return `,"encrypted_content":"${sealFor('own', opaque)}"`
    return this.#sealed ? `,"encrypted_content":"${this.#sealed.write()}"` : ''
  }

  /** A function without arguments gets an empty object, because clients parse the arguments. */
  #endCall({ form, name }: ToolCallHead, part: OpenPart | undefined): string {
    if (!part) return ''
    const filler = form === 'function' && part.isEmpty ? part.delta('{}', undefined) : ''
    this.#output.fill(part.json())
    if (form === 'custom') return part.done('input')
    return filler + part.done('arguments', `"name":${JSON.stringify(name)},`)
  }

  /** An item that contains only sealed data: hidden reasoning, or a signature; see `opaque.ts`. */
  #carry(opaque: Opaque, position: CarrierPosition): string {
    const opened = this.#output.open(reasoningItem(this.#mint('rs_')), false)
    this.#output.fill(`"summary":[],"encrypted_content":"${sealFor(position, opaque)}"`)
    return opened
  }
}
