// What every store promises, as a suite that runs over each member of stores/all.ts.

import { describe, expect, test } from "bun:test";
import { symlink, mkdir } from "node:fs/promises";
import fc from "fast-check";
import { newSessionId, toToolCallId } from "../../src/lib/ids.ts";
import type { OpenOptions } from "../../src/stores/all.ts";
import { LEASE_MS } from "../../src/stores/store.ts";
import type { SessionRecord, Store } from "../../src/stores/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { anyEvent, assistantMessage, holderOf, recordOf, userMessage } from "./samples.ts";

export type OpenStore = (options?: Partial<OpenOptions>) => Promise<Store>;

async function prompted(store: Store, patch: Partial<SessionRecord> = {}): Promise<SessionRecord> {
  const record = recordOf({ prompts: 1, ...patch });
  await store.createSession(record);
  return record;
}

async function allPages(store: Store, limit: number, cwd?: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await store.listSessions({
      limit,
      ...(cwd === undefined ? {} : { cwd }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (!page.ok) throw new Error("the store refused its own cursor");
    expect(page.sessions.length).toBeLessThanOrEqual(limit);
    ids.push(...page.sessions.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

export function storeContract(name: string, open: OpenStore): void {
  describe(`${name}: sessions`, () => sessionContract(open));
  describe(`${name}: entries`, () => entryContract(open));
  describe(`${name}: list`, () => listContract(open));
  describe(`${name}: leases`, () => leaseContract(open));
}

function sessionContract(open: OpenStore): void {
  test("getSession returns the record as it was created, empty members absent", async () => {
    await using store = await open();
    const bare = recordOf();
    const full = recordOf({
      title: "Review",
      modelId: "m",
      thoughtLevel: "high",
      additionalDirectories: ["/a b", "/c"],
    });
    await store.createSession(bare);
    await store.createSession(full);
    expect(await store.getSession(bare.id)).toEqual(bare);
    expect(await store.getSession(full.id)).toEqual(full);
    expect(await store.getSession(newSessionId())).toBeUndefined();
  });

  test("createSession refuses an id that is taken", async () => {
    await using store = await open();
    const record = recordOf();
    await store.createSession(record);
    expect(store.createSession(record)).rejects.toThrow(`already a session ${record.id}`);
  });

  test("updateSession changes only what the patch names", async () => {
    await using store = await open();
    const record = recordOf({ title: "Old", modelId: "m" });
    await store.createSession(record);
    await store.updateSession(record.id, { title: "New", thoughtLevel: "low" });
    expect(await store.getSession(record.id)).toEqual({
      ...record,
      title: "New",
      thoughtLevel: "low",
    });
    expect(store.updateSession(newSessionId(), {})).rejects.toThrow("There is no session");
  });

  test("deleteSession removes the session with all that belongs to it, once", async () => {
    await using store = await open();
    const { id, ...rest } = recordOf();
    await store.createSession({ id, ...rest });
    await store.append(id, [{ event: userMessage("hello") }]);
    await store.checkpoint(id, { messageId: "m", text: "", thought: "", model: "x" });
    await store.acquireLease(id, holderOf("a"));
    expect(await store.deleteSession(id)).toBe(true);
    expect(await store.deleteSession(id)).toBe(false);
    expect(await store.entries(id)).toEqual([]);
    expect(await store.drafts(id)).toEqual([]);
    expect(await store.listSessions({ limit: 5 })).toEqual({ ok: true, sessions: [] });
    await store.createSession({ id, ...rest });
    expect(await store.entries(id)).toEqual([]);
    expect(await store.acquireLease(id, holderOf("b"))).toBe(true);
  });

  test("forkSession copies up to the number given, and both go on alone", async () => {
    await using store = await open({ now: () => 5_000 });
    const from = recordOf();
    await store.createSession(from);
    await store.append(from.id, [
      { event: userMessage("one") },
      { event: assistantMessage("1") },
      { event: userMessage("two") },
    ]);
    const to = recordOf({ prompts: 99, updatedAt: 6_000 });
    await store.forkSession(from.id, to, 2);
    const copied = (await store.entries(from.id)).slice(0, 2);
    expect(await store.entries(to.id)).toEqual(copied);
    expect(await store.getSession(to.id)).toEqual({ ...to, prompts: 1 });
    expect((await store.append(to.id, [{ event: userMessage("other") }]))[0]?.seq).toBe(3);
    expect(await store.entries(from.id)).toHaveLength(3);
    expect(store.forkSession(newSessionId(), recordOf(), 1)).rejects.toThrow("no session");
    expect(store.forkSession(from.id, to, 1)).rejects.toThrow("already a session");
  });
}

function entryContract(open: OpenStore): void {
  test("whatever is appended in whatever portions is read back the same, numbered without a gap", async () => {
    await using store = await open({ now: () => 42 });
    const portions = fc.array(
      fc.array(
        fc.record(
          { event: anyEvent, parent: fc.nat(3).map((n) => toToolCallId(`call_${n}`)) },
          { requiredKeys: ["event"] },
        ),
        { maxLength: 4 },
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(portions, async (appended) => {
        const { id } = recordOf();
        await store.createSession(recordOf({ id }));
        const returned = [];
        for (const portion of appended) returned.push(...(await store.append(id, portion)));
        const expected = appended.flat().map((entry, i) => ({ ...entry, seq: i + 1, at: 42 }));
        expect(returned).toEqual(expected);
        expect(await store.entries(id)).toEqual(expected);
      }),
      { numRuns: 40, seed: 11 },
    );
  });

  test("appends asked for side by side keep their order", async () => {
    await using store = await open();
    const { id } = await prompted(store);
    const texts = Array.from({ length: 50 }, (_, i) => `message ${i}`);
    await Promise.all(texts.map((text) => store.append(id, [{ event: userMessage(text) }])));
    const events = (await store.entries(id)).map(({ event }) => event);
    expect(events.map((event) => event.type === "user_message" && event.text)).toEqual(texts);
  });

  test("append moves updatedAt and counts what the user asked, not slash commands or sub-agents", async () => {
    await using store = await open({ now: () => 9_000 });
    const record = recordOf();
    await store.createSession(record);
    await store.append(record.id, [
      { event: userMessage("question") },
      { event: userMessage("/help", true) },
      { event: userMessage("sub"), parent: toToolCallId("call_1") },
    ]);
    expect(await store.getSession(record.id)).toEqual({ ...record, prompts: 1, updatedAt: 9_000 });
  });

  test("append to a session that does not exist rejects and stores nothing", async () => {
    await using store = await open();
    const id = newSessionId();
    expect(store.append(id, [{ event: userMessage("x") }])).rejects.toThrow(`no session ${id}`);
    expect(await store.entries(id)).toEqual([]);
  });

  test("entries starts behind afterSeq and stops at limit, across many pages", async () => {
    await using store = await open();
    const { id } = await prompted(store);
    const many = Array.from({ length: 2_500 }, () => ({ event: userMessage("x") }));
    await store.append(id, many, { sync: "full" });
    const numbers = (found: readonly { readonly seq: number }[]) => found.map(({ seq }) => seq);
    expect(numbers(await store.entries(id))).toEqual(many.map((_, i) => i + 1));
    expect(numbers(await store.entries(id, { afterSeq: 2_498 }))).toEqual([2_499, 2_500]);
    expect(numbers(await store.entries(id, { afterSeq: 3, limit: 2 }))).toEqual([4, 5]);
    expect(await store.entries(id, { limit: 1_500 })).toHaveLength(1_500);
    expect(await store.entries(id, { afterSeq: 9_999 })).toEqual([]);
  });

  test("checkpoint keeps the last draft of the session and of each sub-agent", async () => {
    await using store = await open();
    const { id } = await prompted(store);
    const parent = toToolCallId("call_1");
    const draft = { messageId: "m1", text: "cut \ud83d", thought: "", model: "x" };
    await store.checkpoint(id, { ...draft, text: "c" });
    await store.checkpoint(id, draft);
    await store.checkpoint(id, { ...draft, messageId: "m2" }, parent);
    expect(await store.drafts(id)).toEqual([draft, { ...draft, messageId: "m2", parent }]);
    await store.checkpoint(id, undefined, parent);
    expect(await store.drafts(id)).toEqual([draft]);
    await store.append(id, [{ event: assistantMessage("done", "other") }]);
    expect(await store.drafts(id)).toEqual([draft]);
    await store.append(id, [{ event: assistantMessage("done", "m1") }]);
    expect(await store.drafts(id)).toEqual([]);
    expect(await store.drafts(newSessionId())).toEqual([]);
  });
}

function listContract(open: OpenStore): void {
  test("listSessions gives sessions with a prompt, newest first, equal times by id", async () => {
    await using store = await open();
    const times = [5, 9, 7, 7, 7];
    const records = [];
    for (const updatedAt of times) records.push(await prompted(store, { updatedAt }));
    await store.createSession(recordOf({ updatedAt: 99 }));
    const expected = records.toSorted(
      (a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1),
    );
    expect(await store.listSessions({ limit: 10 })).toEqual({ ok: true, sessions: expected });
  });

  test("pages of any size together are the whole list, each session once", async () => {
    await using store = await open();
    for (let i = 0; i < 23; i += 1) {
      await prompted(store, { updatedAt: i % 4, cwd: i % 2 === 0 ? "/even" : "/odd" });
    }
    const whole = await allPages(store, 100);
    const even = await allPages(store, 100, "/even");
    expect([whole.length, even.length]).toEqual([23, 12]);
    for (const limit of [1, 2, 7, 12, 23]) {
      expect(await allPages(store, limit)).toEqual(whole);
      expect(await allPages(store, limit, "/even")).toEqual(even);
    }
  });

  test("the directory filters before the page is cut, and there is no cursor without a further match", async () => {
    await using store = await open();
    const only = await prompted(store, { cwd: "/b", realCwd: "/b", updatedAt: 1 });
    for (let i = 0; i < 120; i += 1) await prompted(store, { cwd: "/a", updatedAt: 10 + i });
    expect(await store.listSessions({ cwd: "/b", limit: 50 })).toEqual({
      ok: true,
      sessions: [only],
    });
  });

  test("a directory is found as given, by its real path, and through another link to it", async () => {
    await using dir = await tempDir();
    await mkdir(dir.file("real"));
    await symlink(dir.file("real"), dir.file("link"));
    await symlink(dir.file("real"), dir.file("other"));
    await using store = await open();
    const { id } = await prompted(store, { cwd: dir.file("link"), realCwd: dir.file("real") });
    await prompted(store, { cwd: dir.path, realCwd: dir.path });
    for (const name of ["link", "real", "other"]) {
      expect(await allPages(store, 5, dir.file(name))).toEqual([id]);
    }
    expect(await allPages(store, 5, dir.file("gone"))).toEqual([]);
    expect(await allPages(store, 5, "real")).toEqual([]);
  });

  test("a cursor that is not ours, or is of another filter, is refused", async () => {
    await using store = await open();
    await prompted(store);
    await prompted(store);
    const page = await store.listSessions({ limit: 1 });
    const cursor = page.ok ? (page.nextCursor ?? "") : "";
    expect((await store.listSessions({ limit: 1, cursor })).ok).toBe(true);
    for (const bad of ["", "x", `${cursor}A`, cursor.slice(0, -3), btoa('["a","b","c"]'), "%00"]) {
      expect(await store.listSessions({ limit: 1, cursor: bad })).toEqual({ ok: false });
    }
    expect(await store.listSessions({ limit: 1, cursor, cwd: "/srv/app" })).toEqual({ ok: false });
  });
}

function leaseContract(open: OpenStore): void {
  test("a lease belongs to one holder until it is released", async () => {
    await using store = await open({ isAlive: () => true });
    const { id } = await prompted(store);
    expect(await store.acquireLease(id, holderOf("a"))).toBe(true);
    expect(await store.acquireLease(id, holderOf("a"))).toBe(true);
    expect(await store.acquireLease(id, holderOf("b"))).toBe(false);
    await store.releaseLease(id, holderOf("b"));
    expect(await store.acquireLease(id, holderOf("b"))).toBe(false);
    await store.releaseLease(id, holderOf("a"));
    expect(await store.acquireLease(id, holderOf("b"))).toBe(true);
  });

  test("a holder may have started at a fraction of a millisecond", async () => {
    await using store = await open({ isAlive: ({ startedAt }) => startedAt === 1.5e12 + 0.25 });
    const { id } = await prompted(store);
    const holder = holderOf("a", { startedAt: 1.5e12 + 0.25 });
    expect(await store.acquireLease(id, holder)).toBe(true);
    expect(await store.acquireLease(id, holderOf("b"))).toBe(false);
  });

  test("a lease ends LEASE_MS after it was last renewed", async () => {
    let now = 0;
    await using store = await open({ now: () => now, isAlive: () => true });
    const { id } = await prompted(store);
    await store.acquireLease(id, holderOf("a"));
    now = LEASE_MS - 1;
    await store.acquireLease(id, holderOf("a"));
    now = 2 * LEASE_MS - 2;
    expect(await store.acquireLease(id, holderOf("b"))).toBe(false);
    now += 1;
    expect(await store.acquireLease(id, holderOf("b"))).toBe(true);
  });

  test("a dead holder's lease is free at once on its own host, and only there", async () => {
    await using store = await open({ isAlive: () => false });
    const { id } = await prompted(store);
    await store.acquireLease(id, holderOf("a"));
    expect(await store.acquireLease(id, holderOf("b", { host: "elsewhere" }))).toBe(false);
    expect(await store.acquireLease(id, holderOf("b"))).toBe(true);
  });
}
