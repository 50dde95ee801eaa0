import type { SetAsideText } from '../../translation.ts'
import type { ItemShape, ItemStatus } from './output-items.ts'

/** A longer finished item is set aside, because its last event and the whole response repeat it. */
const itemCharactersMin = 1024

interface OpenItem {
  readonly shape: ItemShape
  readonly isMessage: boolean
  content: string
  contentCount: number
}

/**
 * Numbers the events and keeps the output items. An item is closed only when the next item begins or the reply ends:
 * consecutive texts are parts of one message, and only the end shows whether the last part is complete.
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

  /** One event: its name, its members as JSON text with a trailing comma, and its number. */
  emit = (type: string, members: string): string => {
    const number = this.takeNumbers(1)
    return `event: ${type}\ndata: {"type":"${type}",${members}"sequence_number":${number}}\n\n`
  }

  /** Reserves `count` numbers and returns the first. */
  takeNumbers(count: number): number {
    const first = this.#sequence
    this.#sequence += count
    return first
  }

  /** The position of the open item, as members of an event. */
  position(): string {
    return `"item_id":"${this.#open?.shape.id}","output_index":${this.items.length},`
  }

  contentPosition(): string {
    return `${this.position()}"content_index":${this.#open?.contentCount ?? 0},`
  }

  open(shape: ItemShape, isMessage: boolean): string {
    const closed = this.close('completed')
    this.#open = { shape, isMessage, content: '', contentCount: 0 }
    const added = `"output_index":${this.items.length},"item":${shape.write('in_progress', '')},`
    return closed + this.emit('response.output_item.added', added)
  }

  /** Writes an item that arrives in one piece. */
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

  /** Sets the content of the open item. */
  fill(content: string): void {
    if (this.#open) this.#open.content = content
  }

  /** Adds a finished part to the open message. */
  addContent(content: string): string {
    const done = this.emit(
      'response.content_part.done',
      `${this.contentPosition()}"part":${content},`,
    )
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
