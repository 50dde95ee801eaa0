import { Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Select } from '../../parts/forms/select.tsx'
import { ModelSelect } from './model-select.tsx'
import { RoutesBoard } from './routes-board.tsx'
import { RoutesTable } from './routes-table.tsx'
import { useGroupIds } from './use-choices.ts'

interface RoutesViewProps {
  readonly group: string | undefined
  readonly model: string | undefined
  readonly onChoose: (choice: { group?: string | undefined; model?: string | undefined }) => void
}

/** All routes; with a group and a model selected, the board that arranges them. */
export function RoutesView({ group, model, onChoose }: RoutesViewProps) {
  const { t } = useTranslation()
  const groups = useGroupIds()
  return (
    <Stack>
      <Group gap="xs">
        <Select
          aria-label={t('routes.group')}
          placeholder={t('routes.anyGroup')}
          data={groups}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('operate.clear') }}
          w={{ base: '100%', xs: 220 }}
          value={group ?? null}
          onChange={(chosen) => onChoose({ group: chosen ?? undefined, model })}
        />
        <ModelSelect
          aria-label={t('routes.model')}
          placeholder={t('routes.anyModel')}
          clearable
          clearButtonProps={{ 'aria-label': t('operate.clear') }}
          w={{ base: '100%', xs: 300 }}
          value={model}
          onChange={(chosen) => onChoose({ group, model: chosen })}
        />
      </Group>
      {group !== undefined && model !== undefined ? (
        <RoutesBoard key={`${group} ${model}`} group={group} model={model} />
      ) : (
        <RoutesTable group={group} model={model} onOpen={onChoose} />
      )}
    </Stack>
  )
}
