import {
  DragDropContext,
  Draggable,
  Droppable,
  type DropResult,
  type ResponderProvided,
} from '@hello-pangea/dnd'
import { ActionIcon, Box, Group, Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconChevronLeft, IconChevronRight, IconGripVertical } from '../../icons/icons.ts'
import { type LanePlace, moveCard } from './lanes.ts'

interface LaneBoardProps<Card> {
  readonly lanes: readonly (readonly Card[])[]
  readonly nameOf: (card: Card) => string
  readonly onChange: (lanes: Card[][]) => void
  readonly render: (card: Card, lane: readonly Card[]) => ReactNode
}

/**
 * Cards in lanes, in the order in which they are tried. Cards move by dragging, by keyboard on the handle, and by the
 * arrows. The empty lane at the end adds a last priority.
 */
export function LaneBoard<Card extends { readonly priority: number }>({
  lanes,
  nameOf,
  onChange,
  render,
}: LaneBoardProps<Card>) {
  const { t } = useTranslation()
  const move = (from: LanePlace, to: LanePlace) => onChange(moveCard(lanes, from, to))
  const say = (provided: ResponderProvided, name: string, lane: string) =>
    provided.announce(t('routes.at', { name, priority: Number(lane) }))
  const drop = ({ draggableId, source, destination }: DropResult, provided: ResponderProvided) => {
    if (!destination) return
    say(provided, draggableId, destination.droppableId)
    move(
      { lane: Number(source.droppableId), index: source.index },
      { lane: Number(destination.droppableId), index: destination.index },
    )
  }
  return (
    <DragDropContext
      dragHandleUsageInstructions={t('routes.usage')}
      onDragUpdate={({ draggableId, destination }, provided) => {
        if (destination) say(provided, draggableId, destination.droppableId)
      }}
      onDragEnd={drop}
    >
      <Box className="lane-board">
        {[...lanes, []].map((lane, laneIndex) => (
          <Lane
            // biome-ignore lint/suspicious/noArrayIndexKey: a lane has no id other than its position.
            key={laneIndex}
            place={laneIndex}
            priority={lane[0]?.priority ?? laneIndex}
            isLast={laneIndex === lanes.length}
          >
            {lane.map((card, index) => (
              <LaneCard
                key={nameOf(card)}
                name={nameOf(card)}
                index={index}
                {...(laneIndex > 0 && {
                  onEarlier: () =>
                    move(
                      { lane: laneIndex, index },
                      { lane: laneIndex - 1, index: lanes[laneIndex - 1]?.length ?? 0 },
                    ),
                })}
                {...((lane.length > 1 || laneIndex < lanes.length - 1) && {
                  onLater: () =>
                    move(
                      { lane: laneIndex, index },
                      { lane: laneIndex + 1, index: lanes[laneIndex + 1]?.length ?? 0 },
                    ),
                })}
              >
                {render(card, lane)}
              </LaneCard>
            ))}
          </Lane>
        ))}
      </Box>
    </DragDropContext>
  )
}

function Lane(props: { place: number; priority: number; isLast: boolean; children: ReactNode }) {
  const { t } = useTranslation()
  const title = props.isLast
    ? t('routes.newLane')
    : props.place === 0
      ? t('routes.firstLane', { priority: props.priority })
      : t('routes.lane', { priority: props.priority })
  return (
    <Paper
      withBorder
      p="xs"
      component="section"
      aria-label={title}
      className={props.isLast ? 'lane lane-new' : 'lane'}
    >
      <Title order={3} fz="sm" fw={600} mb="xs" px={4}>
        {title}
      </Title>
      <Droppable droppableId={String(props.place)}>
        {(area, { isDraggingOver }) => (
          <Stack
            ref={area.innerRef}
            {...area.droppableProps}
            gap={0}
            mih={56}
            className={isDraggingOver ? 'lane-area lane-over' : 'lane-area'}
          >
            {props.children}
            {area.placeholder}
          </Stack>
        )}
      </Droppable>
    </Paper>
  )
}

function LaneCard(props: {
  name: string
  index: number
  onEarlier?: () => void
  onLater?: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { name } = props
  return (
    <Draggable draggableId={name} index={props.index}>
      {(item, { isDragging }) => (
        <Paper
          ref={item.innerRef}
          {...item.draggableProps}
          withBorder
          p={6}
          mb={6}
          shadow={isDragging ? 'md' : 'none'}
        >
          <Group gap={6} wrap="nowrap" align="flex-start">
            <ActionIcon
              {...item.dragHandleProps}
              component="div"
              variant="subtle"
              color="gray"
              aria-label={t('order.handle', { name })}
              style={{ cursor: 'grab' }}
            >
              <IconGripVertical size={16} />
            </ActionIcon>
            <Box flex={1} miw={0}>
              {props.children}
            </Box>
            <Stack gap={2}>
              <Group gap={0} wrap="nowrap">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  disabled={!props.onEarlier}
                  aria-label={t('routes.earlier', { name })}
                  onClick={() => props.onEarlier?.()}
                >
                  <IconChevronLeft size={15} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  disabled={!props.onLater}
                  aria-label={t('routes.later', { name })}
                  onClick={() => props.onLater?.()}
                >
                  <IconChevronRight size={15} />
                </ActionIcon>
              </Group>
            </Stack>
          </Group>
        </Paper>
      )}
    </Draggable>
  )
}
