import { ActionIcon, Alert, Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RouteRow, UpstreamRow } from '../../../../src/console-api/contract.ts'
import { countMax } from '../../../../src/fields/problems.ts'
import { call } from '../../api/client.ts'
import { IconAdjustments, IconPlus, IconTrash } from '../../icons/icons.ts'
import { useUnsaved } from '../../parts/dialogs/unsaved.tsx'
import { PageError } from '../../parts/feedback/page-error.tsx'
import { PagePending } from '../../parts/feedback/page-pending.tsx'
import { routesQuery } from '../operator-queries.ts'
import { useChange } from '../use-change.ts'
import { HealthBadge } from './health-badge.tsx'
import { LaneBoard } from './lane-board.tsx'
import { cardsOf, lanesOf } from './lanes.ts'
import { RouteForm } from './route-form.tsx'
import { useUpstreamRows } from './use-choices.ts'

/** The upstreams of one model in one group, in lanes by priority. Nothing changes until it is saved. */
export function RoutesBoard({ group, model }: { group: string; model: string }) {
  const routes = useInfiniteQuery(routesQuery({ group, model }))
  if (routes.error) return <PageError error={routes.error} reset={() => void routes.refetch()} />
  if (!routes.data || routes.isPlaceholderData) return <PagePending />
  return (
    <Board
      key={JSON.stringify([group, model])}
      group={group}
      model={model}
      stored={routes.data.pages.flatMap((page) => page.routes)}
    />
  )
}

function Board(props: { group: string; model: string; stored: readonly RouteRow[] }) {
  const { t } = useTranslation()
  const { group, model, stored } = props
  const upstreams = useUpstreamRows()
  const [draft, setDraft] = useState<readonly RouteRow[]>()
  useUnsaved(() => draft !== undefined)
  const [editing, setEditing] = useState<RouteRow>()
  const save = useChange(
    (routes: readonly RouteRow[]) =>
      call('PUT /operate/routes', {
        query: { group, model },
        body: {
          routes,
        },
      }),
    {
      done: t('routes.saved'),
      optimistic: (update, routes) => {
        update.routes(group, model, routes)
        setDraft(undefined)
      },
    },
  )
  const cards = draft ?? stored
  const lanes = lanesOf(cards)
  const free = upstreams.filter(({ id }) => cards.every((card) => card.upstream !== id))
  const replace = (changed: RouteRow) =>
    setDraft(cards.map((card) => (card.upstream === changed.upstream ? changed : card)))
  const isNew = editing !== undefined && cards.every((card) => card.upstream !== editing.upstream)
  return (
    <Stack>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" maw={620}>
          {t('routes.about')}
        </Text>
        <Button
          variant="light"
          leftSection={<IconPlus size={16} />}
          disabled={free.length === 0}
          onClick={() =>
            setEditing(
              newRoute(group, model, 1 + Math.max(-1, ...cards.map(({ priority }) => priority))),
            )
          }
        >
          {t('routes.add')}
        </Button>
      </Group>
      {cards.length === 0 && <Alert color="orange">{t('routes.none')}</Alert>}
      <LaneBoard
        lanes={lanes}
        nameOf={(card) => card.upstream}
        onChange={(next) => setDraft(cardsOf(next))}
        render={(card, lane) => (
          <RouteCard
            card={card}
            lane={lane}
            upstream={upstreams.find(({ id }) => id === card.upstream)}
            onChange={replace}
            onEdit={() => setEditing(card)}
            onRemove={() => setDraft(cards.filter((each) => each.upstream !== card.upstream))}
          />
        )}
      />
      {draft !== undefined && (
        <Group gap="xs" role="status">
          <Text size="sm">{t('routes.unsaved')}</Text>
          <Button size="xs" variant="default" onClick={() => setDraft(undefined)}>
            {t('routes.discard')}
          </Button>
          <Button
            size="xs"
            loading={save.isPending}
            onClick={() => save.mutate(draft, { onError: () => setDraft(draft) })}
          >
            {t('routes.save')}
          </Button>
        </Group>
      )}
      <RouteForm
        route={editing}
        isNew={isNew}
        choices={{ upstreams: free.map(({ id }) => id) }}
        onClose={() => setEditing(undefined)}
        onSave={(route) => {
          if (isNew) setDraft([...cards, route])
          else replace(route)
          setEditing(undefined)
        }}
      />
    </Stack>
  )
}

function newRoute(group: string, model: string, priority: number): RouteRow {
  return { group, model, upstream: '', upstreamModel: model, priority, weight: 1, parameters: null }
}

function RouteCard(props: {
  card: RouteRow
  lane: readonly RouteRow[]
  upstream: UpstreamRow | undefined
  onChange: (card: RouteRow) => void
  onEdit: () => void
  onRemove: () => void
}) {
  const { t } = useTranslation()
  const { card, lane, upstream } = props
  const whole = lane.reduce((sum, { weight }) => sum + weight, 0)
  const share = whole === 0 ? 0 : Math.round((card.weight / whole) * 100)
  return (
    <Stack gap={6}>
      <div>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {card.upstream}
        </Text>
        {card.upstreamModel !== card.model && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {t('routes.as', { name: card.upstreamModel })}
          </Text>
        )}
      </div>
      {upstream && <HealthBadge upstream={upstream} />}
      <Group gap={6} wrap="nowrap">
        <NumberInput
          size="xs"
          w={64}
          min={0}
          max={countMax}
          allowDecimal={false}
          aria-label={t('routes.weightOf', { name: card.upstream })}
          value={card.weight}
          onChange={(value) => props.onChange({ ...card, weight: Number(value) })}
        />
        <Text size="xs" c="dimmed" flex={1}>
          {t('routes.share', { share })}
        </Text>
        <ActionIcon
          variant={card.parameters === null ? 'subtle' : 'light'}
          color={card.parameters === null ? 'gray' : 'petrol'}
          size="sm"
          aria-label={t('routes.edit', { name: card.upstream })}
          onClick={props.onEdit}
        >
          <IconAdjustments size={15} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={t('order.remove', { name: card.upstream })}
          onClick={props.onRemove}
        >
          <IconTrash size={15} />
        </ActionIcon>
      </Group>
    </Stack>
  )
}
