import { Autocomplete, Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { routeDefinition } from '../../../../src/catalog/definition/route.ts'
import type { RouteRow } from '../../../../src/console-api/contract.ts'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { countMax } from '../../../../src/fields/problems.ts'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { useUnsaved } from '../../parts/dialogs/unsaved.tsx'
import { Select } from '../../parts/forms/select.tsx'
import { useRuleText } from '../../parts/forms/use-rule-text.ts'
import { upstreamModelsQuery } from '../operator-queries.ts'
import { ModelSelect } from './model-select.tsx'
import { ParameterEditor } from './parameter-editor.tsx'
import { type Parameters, policyOf, rowsOf } from './parameter-rows.ts'

const { fields } = routeDefinition
const routeSettings = ['upstreamModel', 'priority', 'weight', 'parameters'] as const

export interface RouteChoices {
  /** Selectable values; undefined if the value is fixed. */
  readonly groups?: readonly string[]
  readonly upstreams?: readonly string[]
}

interface RouteFormProps {
  /** Initial values; undefined while the form is closed. */
  readonly route: RouteRow | undefined
  readonly isNew: boolean
  readonly choices: RouteChoices
  readonly onSave: (route: RouteRow) => void
  readonly onClose: () => void
}

/** The form of an upstream saves the route. That of a model in a group only takes it over into the draft. */
function isOfUpstream({ groups }: RouteChoices): boolean {
  return groups !== undefined
}

/** Form for one route. */
export function RouteForm(props: RouteFormProps) {
  const { t } = useTranslation()
  const { route, choices, onClose } = props
  const name = isOfUpstream(choices) ? route?.model : route?.upstream
  return (
    <Dialog
      isOpen={route !== undefined}
      onClose={onClose}
      title={props.isNew ? t('routes.new') : t('routes.edit', { name })}
      size="lg"
    >
      {route && <Fields {...props} route={route} />}
    </Dialog>
  )
}

function Fields({ route, isNew, choices, onSave, onClose }: RouteFormProps & { route: RouteRow }) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const [draft, setDraft] = useState(route)
  const [parameters, setParameters] = useState<Parameters>({
    rows: rowsOf(route.parameters),
    outputLimit: route.parameters?.outputLimit,
  })
  const change = (part: Partial<RouteRow>) => setDraft((former) => ({ ...former, ...part }))
  const first = useRef({ draft, parameters }).current
  const leave = useUnsaved(() => JSON.stringify({ draft, parameters }) !== JSON.stringify(first))
  const isComplete = draft.group !== '' && draft.model !== '' && draft.upstream !== ''
  const upstreamModel = draft.upstreamModel.trim() || draft.model
  const policy = policyOf(parameters.rows, parameters.outputLimit)
  const wrong = (name: 'upstreamModel' | 'priority' | 'weight' | 'parameters') => {
    const made = { ...draft, upstreamModel, parameters: policy }
    return isComplete ? ruleText(findProblem(fields[name].kind.wire, made[name])) : null
  }
  const isGood = isComplete && routeSettings.every((name) => wrong(name) === null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React events of the modal bubble to the panel, whose own form must not be submitted.
    event.stopPropagation()
    if (!isGood) return
    onSave({ ...draft, upstreamModel, parameters: policy })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {isNew && choices.groups && (
          <Choice
            label={t('routes.group')}
            data={choices.groups}
            value={draft.group}
            onChange={(group) => change({ group })}
          />
        )}
        {isNew && choices.groups && (
          <ModelSelect
            label={t('routes.model')}
            value={draft.model === '' ? undefined : draft.model}
            onChange={(model) => change({ model: model ?? '' })}
          />
        )}
        {isNew && choices.upstreams && (
          <Choice
            label={t('routes.upstream')}
            data={choices.upstreams}
            value={draft.upstream}
            onChange={(upstream) => change({ upstream })}
          />
        )}
        <TheirName
          upstream={draft.upstream}
          model={draft.model}
          value={draft.upstreamModel}
          error={wrong('upstreamModel')}
          onChange={(named) => change({ upstreamModel: named })}
        />
        <Group grow align="flex-start">
          <NumberInput
            label={t('routes.priority')}
            description={t('routes.priorityHint')}
            min={0}
            max={countMax}
            allowDecimal={false}
            error={wrong('priority')}
            value={draft.priority}
            onChange={(value) => change({ priority: Number(value) })}
          />
          <NumberInput
            label={t('routes.weight')}
            description={t('routes.weightHint')}
            min={0}
            max={countMax}
            allowDecimal={false}
            error={wrong('weight')}
            value={draft.weight}
            onChange={(value) => change({ weight: Number(value) })}
          />
        </Group>
        <div>
          <Text size="sm" fw={600}>
            {t('parameters.title')}
          </Text>
          <ParameterEditor
            value={parameters}
            onChange={setParameters}
            error={wrong('parameters')}
          />
        </div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => leave(onClose)}>
            {t('cancel')}
          </Button>
          <Button type="submit" disabled={!isGood}>
            {isOfUpstream(choices) ? t('operate.save') : t('routes.take')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Choice(props: {
  label: string
  data: readonly string[]
  value: string
  onChange: (value: string) => void
}) {
  return (
    <Select
      label={props.label}
      data={props.data}
      searchable
      allowDeselect={false}
      value={props.value === '' ? null : props.value}
      onChange={(value) => props.onChange(value ?? '')}
    />
  )
}

/** The upstream's model name, with the names that the upstream lists as suggestions. */
function TheirName(props: {
  upstream: string
  model: string
  value: string
  error: string | null
  onChange: (value: string) => void
}) {
  const { t } = useTranslation()
  const known = useQuery({
    ...upstreamModelsQuery(props.upstream),
    enabled: props.upstream !== '',
  })
  return (
    <Autocomplete
      label={t('routes.theirName')}
      description={t('routes.theirNameHint')}
      placeholder={props.model}
      data={[...new Set(known.data?.models ?? [])]}
      limit={50}
      value={props.value}
      error={props.error}
      onChange={props.onChange}
    />
  )
}
