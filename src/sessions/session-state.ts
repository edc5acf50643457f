// A session's modes and options in ACP's words: what `session/new` answers, what set_mode and set_config_option announce.
// https://agentclientprotocol.com/protocol/session-config-options

import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import type { ModelCatalog, ModelOption } from "../agent/model-catalog.ts";
import type { ThoughtLevel } from "../conversation/messages.ts";
import { MODES } from "../permissions/modes.ts";
import { invalidParams } from "../protocol/errors.ts";

export type SessionChoices = {
  readonly modeId: string;
  readonly model: ModelOption;
  readonly thoughtLevel: ThoughtLevel | undefined;
};

export type SessionStateAnswer = {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
  readonly models: {
    readonly availableModels: { readonly modelId: string; readonly name: string }[];
    readonly currentModelId: string;
  };
};

const LEVEL_NAMES: Readonly<Record<ThoughtLevel, string>> = {
  off: "Off",
  low: "Low",
  medium: "Medium",
  high: "High",
};

/** The level a model really uses: the chosen one where it has it, else its first. */
export function effectiveLevel({ model, thoughtLevel }: SessionChoices): ThoughtLevel | undefined {
  const { thoughtLevels } = model;
  return thoughtLevel !== undefined && thoughtLevels.includes(thoughtLevel)
    ? thoughtLevel
    : thoughtLevels[0];
}

export function modeState({ modeId }: SessionChoices): SessionModeState {
  return { currentModeId: modeId, availableModes: MODES.map((mode) => ({ ...mode })) };
}

export function configOptions(
  choices: SessionChoices,
  catalog: ModelCatalog,
): SessionConfigOption[] {
  const { model, modeId } = choices;
  const options: SessionConfigOption[] = [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: modeId,
      options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: model.id,
      options: catalog
        .options()
        .map(({ id, name, description }) =>
          description === undefined ? { value: id, name } : { value: id, name, description },
        ),
    },
  ];
  const level = effectiveLevel(choices);
  if (level !== undefined) {
    options.push({
      id: "thought_level",
      name: "Thinking",
      category: "thought_level",
      type: "select",
      currentValue: level,
      options: model.thoughtLevels.map((value) => ({ value, name: LEVEL_NAMES[value] })),
    });
  }
  return options;
}

export function stateAnswer(choices: SessionChoices, catalog: ModelCatalog): SessionStateAnswer {
  return {
    modes: modeState(choices),
    configOptions: configOptions(choices, catalog),
    models: {
      availableModels: catalog.options().map(({ id, name }) => ({ modelId: id, name })),
      currentModelId: choices.model.id,
    },
  };
}

/** Throws -32602 listing the known values. */
export function mustBeKnown<T extends string>(
  field: string,
  value: unknown,
  known: readonly T[],
): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw invalidParams({ [field]: `must be one of: ${known.join(", ")}` });
  return found;
}
