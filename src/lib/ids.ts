// Branded ids. A plain string becomes an id only here or at the edge where it was parsed.

declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = Brand<"SessionId">;
export type ToolCallId = Brand<"ToolCallId">;
export type ConnectionId = Brand<"ConnectionId">;
export type MessageId = Brand<"MessageId">;

export const toSessionId = (value: string): SessionId => value as SessionId;
export const toToolCallId = (value: string): ToolCallId => value as ToolCallId;
export const toConnectionId = (value: string): ConnectionId => value as ConnectionId;
export const toMessageId = (value: string): MessageId => value as MessageId;

/** A UUIDv4: 122 random bits from the system's generator. */
export function newUuid(): string {
  return crypto.randomUUID();
}

export const newSessionId = (): SessionId => toSessionId(`sess_${newUuid().replaceAll("-", "")}`);
export const newMessageId = (): MessageId => toMessageId(newUuid());
/** At most 40 characters of [a-z0-9_], which every known model endpoint accepts as a call id. */
export const newToolCallId = (): ToolCallId =>
  toToolCallId(`call_${newUuid().replaceAll("-", "")}`);
