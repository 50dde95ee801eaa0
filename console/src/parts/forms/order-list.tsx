import { DragDropContext, Draggable, Droppable, type ResponderProvided } from '@hello-pangea/dnd'
import { ActionIcon, Group, Paper, Text } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { IconChevronDown, IconChevronUp, IconGripVertical, IconX } from '../../icons/icons.ts'

interface OrderListProps {
  readonly label: string
  readonly ids: readonly string[]
  readonly onChange: (ids: string[]) => void
  /** Shown after the name of an entry. */
  readonly note?: (id: string) => ReactNode
  readonly canRemove?: boolean
}

/** A list that can be reordered by dragging, by keyboard on the handle, or by the arrows. */
export function OrderList({ label, ids, onChange, note, canRemove = true }: OrderListProps) {
  const { t } = useTranslation()
  const listId = useId()
  const say = (provided: ResponderProvided, id: string, place: number) =>
    provided.announce(t('order.place', { name: id, place: place + 1, count: ids.length }))
  return (
    <DragDropContext
      dragHandleUsageInstructions={t('order.usage')}
      onDragStart={(start, provided) => say(provided, start.draggableId, start.source.index)}
      onDragUpdate={(update, provided) => {
        if (update.destination) say(provided, update.draggableId, update.destination.index)
      }}
      onDragEnd={(result, provided) => {
        if (!result.destination) return
        say(provided, result.draggableId, result.destination.index)
        onChange(moved(ids, result.source.index, result.destination.index))
      }}
    >
      <Droppable droppableId={listId}>
        {(list) => (
          <ol
            ref={list.innerRef}
            {...list.droppableProps}
            className="order-list"
            aria-label={label}
          >
            {ids.map((id, index) => (
              <Draggable key={id} draggableId={id} index={index}>
                {(item, { isDragging }) => {
                  const row = (
                    <Paper
                      ref={item.innerRef}
                      {...item.draggableProps}
                      component="li"
                      withBorder
                      mb={6}
                      px={6}
                      py={4}
                      shadow={isDragging ? 'md' : 'none'}
                      className="order-item"
                    >
                      <Group gap="xs" wrap="nowrap">
                        <ActionIcon
                          {...item.dragHandleProps}
                          component="div"
                          variant="subtle"
                          color="gray"
                          aria-label={t('order.handle', { name: id })}
                          style={{ cursor: 'grab' }}
                        >
                          <IconGripVertical size={16} />
                        </ActionIcon>
                        <Text size="xs" c="dimmed" className="figures" w={14} ta="right">
                          {index + 1}
                        </Text>
                        <Text size="sm" fw={500} style={{ flex: 1, overflowWrap: 'anywhere' }}>
                          <Text span inherit mr={6}>
                            {id}
                          </Text>
                          {note && (
                            <Text span size="xs" c="dimmed" fw={400} display="inline-block">
                              {note(id)}
                            </Text>
                          )}
                        </Text>
                        <Group gap={0} wrap="nowrap">
                          <ActionIcon
                            variant="subtle"
                            color="gray"
                            size="sm"
                            disabled={index === 0}
                            aria-label={t('order.up', { name: id })}
                            onClick={() => onChange(moved(ids, index, index - 1))}
                          >
                            <IconChevronUp size={15} />
                          </ActionIcon>
                          <ActionIcon
                            variant="subtle"
                            color="gray"
                            size="sm"
                            disabled={index === ids.length - 1}
                            aria-label={t('order.down', { name: id })}
                            onClick={() => onChange(moved(ids, index, index + 1))}
                          >
                            <IconChevronDown size={15} />
                          </ActionIcon>
                          {canRemove && (
                            <ActionIcon
                              variant="subtle"
                              color="gray"
                              size="sm"
                              aria-label={t('order.remove', { name: id })}
                              onClick={() => onChange(ids.filter((each) => each !== id))}
                            >
                              <IconX size={15} />
                            </ActionIcon>
                          )}
                        </Group>
                      </Group>
                    </Paper>
                  )
                  // A transformed panel is the containing block of fixed elements, so the dragged entry is rendered
                  // outside of the panel.
                  return isDragging ? createPortal(row, document.body) : row
                }}
              </Draggable>
            ))}
            {list.placeholder}
          </ol>
        )}
      </Droppable>
    </DragDropContext>
  )
}

/** Returns the list with one entry moved. */
function moved<Entry>(entries: readonly Entry[], from: number, to: number): Entry[] {
  const rest = [...entries]
  rest.splice(to, 0, ...rest.splice(from, 1))
  return rest
}
