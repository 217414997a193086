import { describe, expect, test } from 'vitest';
import { createTestContext } from '../../../src/testing.js';

describe('a context for unit tests', () => {
  test('answers questions in order, and records everything', async () => {
    const ctx = createTestContext({
      options: { unit: 'm' },
      elicit: [{ question: 'city', accept: { city: 'Rome' } }, { decline: true }],
      sample: [{ answer: 'Short' }],
      roots: ['file:///a'],
    });
    expect(await ctx.elicit('Which city?', { city: 'string' })).toEqual({
      action: 'accept',
      content: { city: 'Rome' },
    });
    expect(await ctx.elicitUrl('Sign in', 'https://example.com')).toEqual({ action: 'decline' });
    expect(await ctx.sample({ messages: [] })).toMatchObject({ content: { text: 'Short' } });
    expect(await ctx.roots()).toEqual([{ uri: 'file:///a' }]);
    ctx.progress(1, { total: 2 });
    ctx.log.warning('slow');
    ctx.notifyChanged('tools');
    ctx.notifyResourceUpdated('note://a');
    expect(ctx.options.unit).toBe('m');
    expect(ctx.records).toMatchObject({
      questions: [{ text: 'Which city?' }, { text: 'Sign in' }, { kind: 'sample' }, { kind: 'roots' }],
      progress: [{ progress: 1, total: 2 }],
      logs: [{ level: 'warning', data: 'slow' }],
      changed: ['tools'],
      updated: ['note://a'],
    });
  });

  test('has the capabilities that its answers need', async () => {
    const ctx = createTestContext({ elicit: [] });
    expect([ctx.can('elicitation'), ctx.can('elicitation.form'), ctx.can('sampling')]).toEqual([
      true,
      true,
      false,
    ]);
    await expect(ctx.sample({})).rejects.toThrow('no capability "sampling"');
    await expect(ctx.elicit('Which?', { a: 'string' })).rejects.toThrow('there is no answer for it');
  });

  test('aborts its signal by the clock or by the client', () => {
    const limited = createTestContext({ timeoutMs: 1000 });
    limited.clock.advance(999);
    expect(limited.signal.aborted).toBe(false);
    limited.clock.advance(1);
    expect(limited.signal.aborted).toBe(true);
    expect(limited.clock.now).toBe(1000);
    const cancelled = createTestContext();
    cancelled.cancel();
    expect(cancelled.signal.aborted).toBe(true);
  });

  test('runs a step once, and keeps copies in the session', async () => {
    const ctx = createTestContext({ session: { seen: 1 } });
    let runs = 0;
    const step = async () => await ctx.step('a', () => ++runs);
    expect([await step(), await step(), runs]).toEqual([1, 1, 1]);
    const value = { list: [1] };
    ctx.session?.set('value', value);
    value.list.push(2);
    expect([ctx.session?.get('value'), ctx.session?.get('seen')]).toEqual([{ list: [1] }, 1]);
    expect(createTestContext({ session: null }).session).toBeUndefined();
  });

  test('answers calls of other tools', async () => {
    const ctx = createTestContext({ callTool: (name) => ({ content: [{ type: 'text', text: name }] }) });
    expect(await ctx.callTool('other', { a: 1 })).toEqual({ content: [{ type: 'text', text: 'other' }] });
    expect(ctx.records.calls).toEqual([{ name: 'other', arguments: { a: 1 } }]);
    await expect(createTestContext().callTool('other')).rejects.toThrow('no answer for a call of "other"');
  });
});
