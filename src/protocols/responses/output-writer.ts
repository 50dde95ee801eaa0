import type { SetAsideText } from '../translation.ts'
import type { ItemShape, ItemStatus } from './output-items.ts'

/** A finished item of more characters is set aside: its last event and the whole response repeat it. */
const itemCharactersMin = 1024

interface OpenItem {
  readonly shape: ItemShape
  readonly isMessage: boolean
  content: string
  contentCount: number
}

/**
 * Numbers the events and keeps the output items. An item is closed only when the next one begins or the reply
 * ends: parts of text in a row are parts of one message, and only the end tells whether the last is complete.
 */
export class OutputWriter {
  /** The finished items, as JSON text. */
  readonly items: string[] = []
  readonly #setAside: SetAsideText | undefined
  #sequence = 0
  #open: OpenItem | undefined

  constructor(setAside: SetAsideText | undefined) {
    this.#setAside = setAside
  }

  get isEmpty(): boolean {
    return this.items.length === 0 && !this.#open
  }

  get isInMessage(): boolean {
    return this.#open?.isMessage === true
  }

  /** One event: its name, its members as JSON text ending in a comma, and its number. */
  emit = (type: string, members: string): string => {
    const number = this.takeNumbers(1)
    return `event: ${type}\ndata: {"type":"${type}",${members}"sequence_number":${number}}\n\n`
  }

  /** The next number, and as many after it as are asked for. */
  takeNumbers(count: number): number {
    const first = this.#sequence
    this.#sequence += count
    return first
  }

  /** Where the open item stands, as members of an event. */
  place(): string {
    return `"item_id":"${this.#open?.shape.id}","output_index":${this.items.length},`
  }

  contentPlace(): string {
    return `${this.place()}"content_index":${this.#open?.contentCount ?? 0},`
  }

  open(shape: ItemShape, isMessage: boolean): string {
    const closed = this.close('completed')
    this.#open = { shape, isMessage, content: '', contentCount: 0 }
    const added = `"output_index":${this.items.length},"item":${shape.write('in_progress', '')},`
    return closed + this.emit('response.output_item.added', added)
  }

  /** An item that comes in one piece. */
  whole(written: string): string {
    const closed = this.close('completed')
    const json = this.#keep(written)
    const members = `"output_index":${this.items.length},"item":${json},`
    this.items.push(json)
    return (
      closed +
      this.emit('response.output_item.added', members) +
      this.emit('response.output_item.done', members)
    )
  }

  /** What the open item holds. */
  fill(content: string): void {
    if (this.#open) this.#open.content = content
  }

  /** One more finished part of the open message. */
  addContent(content: string): string {
    const done = this.emit('response.content_part.done', `${this.contentPlace()}"part":${content},`)
    const item = this.#open
    if (item) {
      item.content += item.contentCount === 0 ? content : `,${content}`
      item.contentCount += 1
    }
    return done
  }

  close(status: ItemStatus): string {
    const item = this.#open
    if (!item) return ''
    this.#open = undefined
    const json = this.#keep(item.shape.write(status, item.content))
    const done = `"output_index":${this.items.length},"item":${json},`
    this.items.push(json)
    return this.emit('response.output_item.done', done)
  }

  #keep(json: string): string {
    return this.#setAside && json.length > itemCharactersMin ? this.#setAside(json) : json
  }
}
