(* Evaluates what comes line by line over stdin, and answers line by line over stdout, until stdin ends.
   A request is a line of JSON in Base64 with a word; its answer begins with that word. See lines.js. *)

(* Packages that a kernel has from its start. *)
AgentToolsLoop`Private`startPath = DeleteCases[$ContextPath, "Global`"];

BeginPackage["AgentToolsLoop`"];
Begin["`Private`"];

(* Sessions of this kernel: context -> what it takes to go on. *)
states = <||>;

(* What the last evaluation gave, for a notebook of it. *)
lastCode = "";
lastCells = {};

mostOutputs = 20;
mostKeptBytes = 30000000;
mostImageBytes = 1000000;
mostImages = 20;
imagesLeft = mostImages;


(* ---- the line ---- *)

say[word_String, sign_String, message_Association] :=
  Module[{bytes, text},
    bytes = Quiet[ExportByteArray[message, "RawJSON", "Compact" -> True]];
    If[! ByteArrayQ[bytes],
      bytes = ExportByteArray[<|"outcome" -> "failed", "outputs" -> {}|>, "RawJSON", "Compact" -> True]];
    text = StringDelete[BaseEncode[bytes], WhitespaceCharacter];
    (* A line of its own, whatever stands before it. *)
    WriteString["stdout", "\n@@" <> word <> sign <> text <> "\n"]];

readRequest[line_String] :=
  Module[{request},
    request = Quiet[Check[ImportByteArray[ByteArray[line], "RawJSON"], $Failed]];
    If[AssociationQ[request] && StringQ[request["word"]], request, $Failed]];

loop[] :=
  Module[{line},
    While[True,
      line = InputString[""];
      If[! StringQ[line], Exit[0]];
      line = StringTrim[line];
      If[line =!= "", serve[readRequest[line]]]]];

serve[request_Association] :=
  Module[{answer},
    (* What is thrown past this would end the loop. *)
    answer = CheckAbort[
      Catch[Catch[handle[request["op"], request], _, Function[Null]]],
      <|"outcome" -> "aborted", "outputs" -> {}|>];
    If[! AssociationQ[answer], answer = <|"outcome" -> "failed", "outputs" -> {}|>];
    say[request["word"], ":", answer]];

serve[_] := Null;

handle["evaluate", request_] := evaluate[request];
handle["deploy", request_] := deploy[request];
handle[_, _] := <|"outcome" -> "failed", "outputs" -> {}|>;


(* ---- sessions ---- *)

newState[] := <|"Line" -> 1, "Path" -> {}, "Outs" -> <||>|>;

(* "continued", "resumed", "new" or "unreadable" *)
openSession[context_String, file_String] :=
  Which[
    KeyExistsQ[states, context], "continued",
    file === "", states[context] = newState[]; "new",
    loadSession[context, file], "resumed",
    True, states[context] = newState[]; "unreadable"];

loadSession[context_String, file_String] :=
  Module[{found},
    AgentToolsLoop`Saved`state = None;
    TimeConstrained[Quiet[Get[file]], 60, $Failed];
    found = AgentToolsLoop`Saved`state;
    AgentToolsLoop`Saved`state = None;
    If[stateQ[found, context],
      states[context] = KeyTake[found, {"Line", "Path", "Outs"}];
      Scan[loadPackage, found["Path"]];
      True,
      False]];

stateQ[found_, context_String] :=
  AssociationQ[found] && Lookup[found, "Context", ""] === context && IntegerQ[Lookup[found, "Line", None]] &&
    VectorQ[Lookup[found, "Path", None], StringQ] && AssociationQ[Lookup[found, "Outs", None]];

(* A package of the session, as far as it can be had again. *)
loadPackage[package_String] :=
  If[! MemberQ[$Packages, package],
    TimeConstrained[Quiet[Block[{$ContextPath = $ContextPath}, Needs[package]]], 20]];

saveSession[context_String, file_String] :=
  (
    AgentToolsLoop`Saved`state = Append[states[context], "Context" -> context];
    TimeConstrained[Quiet[dump[context, file, Names[context <> "*"]]], 60, $Failed];
    AgentToolsLoop`Saved`state = None;
    TrueQ[FileExistsQ[file] && FileByteCount[file] > 0]);

(* A context without symbols cannot be saved. *)
dump[_, file_String, {}] := DumpSave[file, AgentToolsLoop`Saved`state];
dump[context_String, file_String, _] := DumpSave[file, {context, AgentToolsLoop`Saved`state}];

forgetSession[context_String] := (
  Quiet[Remove[Evaluate[context <> "*"]]];
  states = KeyDrop[states, context]);

(* Outputs by number, so that % and Out[n] are those of the session. *)
putOut[line_Integer, value_] := (Unprotect[Out]; Out[line] = value; Protect[Out]);
dropOut[line_Integer] := (Unprotect[Out]; Quiet[Out[line] =.]; Protect[Out]);

enterOutputs[outs_Association] := KeyValueMap[putOut, outs];
leaveOutputs[lines_List] := Scan[dropOut, lines];

remember[outs_Association, line_Integer, value_] :=
  With[{all = Append[outs, line -> value]},
    If[ByteCount[value] > mostKeptBytes, outs, Take[all, -Min[mostOutputs, Length[all]]]]];


(* ---- reading code ---- *)

atEnd = HoldComplete[EndOfFile];

(* Whether all of the code can be read. What is wrong with it is told as messages. *)
readableQ[code_String] :=
  Block[{$Context = "AgentToolsLoop`Scratch`", $ContextPath = {"System`"}},
    Module[{stream, item, told, good = True},
      stream = StringToStream[code];
      While[good,
        told = False;
        Check[item = Read[stream, HoldComplete[Expression]], told = True];
        If[item === EndOfFile || item === atEnd, Break[]];
        If[! MatchQ[item, _HoldComplete] || (told && item === HoldComplete[$Failed]), good = False]];
      Close[stream];
      Quiet[Remove["AgentToolsLoop`Scratch`*"]];
      good]];


(* ---- evaluating ---- *)

evaluate[request_] :=
  Module[{context, state, how, transcript, outcome = "done", outputs = {}, saved},
    context = request["context"];
    Scan[forgetSession, request["forget"]];
    how = openSession[context, request["load"]];
    If[request["directory"] =!= "", Quiet[SetDirectory[request["directory"]]]];
    lastCode = request["source"];
    lastCells = {};
    imagesLeft = mostImages;
    transcript = OpenAppend[request["transcript"], CharacterEncoding -> "UTF-8", PageWidth -> Infinity];
    state = states[context];
    enterOutputs[state["Outs"]];
    Block[
      {$Context = context,
       $ContextPath = DeleteDuplicates[Join[{context}, state["Path"], startPath]],
       $Output = {transcript},
       $Messages = {transcript},
       $MessagePrePrint = inMessage,
       (* Nobody is there to answer, and stdin is ours. *)
       Input, InputString, Dialog},
      {outcome, outputs, state} = evaluateAll[request, state, transcript];
      state["Path"] = DeleteCases[Select[$ContextPath, StringQ], context | Alternatives @@ startPath]];
    Quiet[Close[transcript]];
    leaveOutputs[Join[Keys[states[context]["Outs"]], Range[states[context]["Line"], state["Line"]]]];
    states[context] = state;
    saved = request["save"] =!= "" && saveSession[context, request["save"]];
    <|"outcome" -> outcome, "outputs" -> outputs, "session" -> how, "saved" -> saved,
      "cloud" -> TrueQ[$CloudConnected]|>];

(* One expression after the other, each read when those before are done: they may load packages. Each value is put into
   words at once, since those after may change what it is made of. *)
evaluateAll[request_, before_, transcript_] :=
  If[readableQ[request["code"]], evaluateRead[request, before, transcript], {"syntax", {}, before}];

evaluateRead[request_, before_, transcript_] :=
  Module[{stream, state = before, item, value, outputs = {}, outcome = "done", index = 0, begin, spent = 0, mark},
    mark = "\n@@" <> request["mark"] <> "\n";
    stream = StringToStream[request["code"]];
    While[outcome === "done",
      $Line = state["Line"];
      (* What there was to say of it has been said when all of it was looked at. *)
      item = Quiet[Read[stream, HoldComplete[Expression]]];
      If[! MatchQ[item, _HoldComplete] || item === atEnd, Break[]];
      If[item === HoldComplete[Null], Continue[]];
      say[request["word"], "+", <|"phase" -> "evaluating"|>];
      begin = AbsoluteTime[];
      value = If[spent < request["seconds"], evaluateHeld[item, request["seconds"] - spent], late];
      spent = spent + AbsoluteTime[] - begin;
      say[request["word"], "+", <|"phase" -> "evaluated"|>];
      If[value === late, outcome = "late"];
      If[value === aborted, outcome = "aborted"];
      If[MatchQ[value, {___}] && value =!= {Null} && value =!= {},
        value = If[Length[value] === 1, First[value], HoldForm[Sequence] @@ value];
        putOut[state["Line"], value];
        outputs = Join[outputs, shown[index, state["Line"], value, request["maxCharacters"]]];
        If[TrueQ[request["notebook"]], AppendTo[lastCells, outputCell[state["Line"], value]]];
        state["Outs"] = remember[state["Outs"], state["Line"], value]];
      state["Line"] = state["Line"] + 1;
      WriteString[transcript, mark];
      index = index + 1];
    Quiet[Close[stream]];
    {outcome, outputs, state}];

(* The values in a list, because there may be a sequence of them; or late, or aborted. *)
evaluateHeld[HoldComplete[expression___], seconds_] :=
  Module[{values, all, left = True, returned, thrown = True, tagged = False},
    values =
      CheckAbort[
        TimeConstrained[
          Catch[
            Catch[
              (* Break[], Continue[] and Return[...] outside of any loop would leave ours. *)
              returned = Do[all = {expression}; left = False, {1}];
              thrown = False;
              If[left, {returned}, all],
              _,
              Function[{value, tag}, tagged = True; HoldForm[Throw[value, tag]]]]],
          seconds,
          thrown = False; late],
        thrown = False; aborted];
    Which[
      ! thrown && MatchQ[values, {___} | late | aborted], values,
      tagged, {values},
      thrown, With[{value = values}, {HoldForm[Throw[value]]}],
      True, {values}]];


(* ---- showing ---- *)

(* Values in messages, on one line. *)
inMessage[HoldForm[value_]] := inMessage[Unevaluated[value]];
inMessage[value_String] := value;
inMessage[value_] := shortText[ToString[Unevaluated[value], InputForm, PageWidth -> Infinity], 400];

shortText[text_String, most_] :=
  If[StringLength[text] <= most, text, StringTake[text, most - 10] <> " \[Ellipsis] "];

pictureQ[value_] :=
  MatchQ[Head[value], Graphics | Graphics3D | GeoGraphics | Graph | Image | Image3D | Legended | GraphicsRow | GraphicsColumn | GraphicsGrid];

picturesQ[value_] := MatchQ[value, {_, ___}] && Length[value] <= 12 && AllTrue[value, pictureQ];

typesetHeads = TeXForm | CForm | FortranForm | MathMLForm | OutputForm | TableForm | MatrixForm | ColumnForm | NumberForm | PaddedForm | ScientificForm | EngineeringForm | AccountingForm | BaseForm;

(* What is sent of a value: its pictures, else its text. *)
shown[index_, line_, value_, most_] :=
  Module[{images},
    images = Which[
      imagesLeft <= 0, {},
      pictureQ[value], {png[value]},
      picturesQ[value], png /@ value,
      True, {}];
    imagesLeft = imagesLeft - Length[images];
    If[images =!= {} && AllTrue[images, StringQ],
      <|"index" -> index, "line" -> line, "image" -> #|> & /@ images,
      {Join[textOf[value, most], <|"index" -> index, "line" -> line|>]}]];

textOf[value_, most_] :=
  Module[{text},
    text = TimeConstrained[
      Which[
        ByteCount[value] > 200000000, ToString[Short[value, 40]],
        MatchQ[Head[value], typesetHeads], ToString[value, OutputForm, PageWidth -> 120],
        True, ToString[value, InputForm, PageWidth -> Infinity]],
      30,
      "(a value that takes too long to write down)"];
    If[! StringQ[text], text = "(a value that cannot be written down)"];
    If[StringLength[text] <= 2 most,
      <|"text" -> text, "length" -> StringLength[text]|>,
      <|"text" -> StringTake[text, most], "tail" -> StringTake[text, -most], "length" -> StringLength[text]|>]];

(* Base64, or None where there is no picture to be had. *)
png[picture_] :=
  Module[{bytes},
    bytes = exportPng[picture];
    If[ByteArrayQ[bytes] && Length[bytes] > mostImageBytes,
      bytes = exportPng[ImageResize[ImportByteArray[bytes, "PNG"], {1000}]]];
    If[ByteArrayQ[bytes] && Length[bytes] > 0, StringDelete[BaseEncode[bytes], WhitespaceCharacter], None]];

exportPng[picture_] := TimeConstrained[Quiet[ExportByteArray[picture, "PNG"]], 60, None];


(* ---- the cloud ---- *)

deploy[request_] :=
  If[TrueQ[$CloudConnected], deployConnected[request], <|"failure" -> "not connected"|>];

deployConnected[request_] :=
  Module[{unsupported = False, deployed, options, contents},
    contents = If[StringQ[request["query"]], answerNotebook[request["query"]], notebook[]];
    options = If[TrueQ[request["hideFooter"]], {AppearanceElements -> None}, {}];
    deployed = If[contents === $Failed, $Failed, TimeConstrained[
      Quiet[Check[
        CloudDeploy[
          contents,
          CloudObject["AgentTools/Notebooks/" <> request["name"]],
          Sequence @@ options,
          AutoRemove -> True,
          CloudObjectNameFormat -> "UUID",
          IconRules -> {},
          Permissions -> {"All" -> {"Read", "Interact"}}],
        unsupported = True; $Failed,
        {CloudDeploy::appearancenotsup}]],
      request["seconds"],
      $Failed]];
    Which[
      contents === $Failed, <|"failure" -> "no answer"|>,
      unsupported, <|"failure" -> "appearancenotsup"|>,
      MatchQ[deployed, CloudObject[_String, ___]], <|"url" -> First[deployed]|>,
      True, <|"failure" -> "not deployed"|>]];

notebook[] := Notebook[Prepend[lastCells, Cell[lastCode, "Input"]]];

(* What Wolfram|Alpha answers, formatted. *)
answerNotebook[query_] :=
  Module[{boxes = TimeConstrained[Quiet[Check[ToBoxes[WolframAlpha[query]], $Failed]], 20, $Failed]},
    If[boxes === $Failed, $Failed, Notebook[{Cell[query, "Subsection"], Cell[BoxData[boxes], "Output"]}]]];

outputCell[line_, value_] :=
  Cell[
    BoxData[TimeConstrained[
      If[ByteCount[value] > mostKeptBytes, ToBoxes[Short[value, 20]], ToBoxes[value]],
      20,
      "\[Ellipsis]"]],
    "Output",
    CellLabel -> "Out[" <> ToString[line] <> "]="];


End[];
EndPackage[];

(* Messages are counted from input to input, and this is one input: the fourth of a kind would never be told again. *)
Off[General::stop];
Quiet[SetOptions[First[Streams["stdout"]], PageWidth -> Infinity]];
AgentToolsLoop`Private`say[Environment["AGENTTOOLS_LOOP"], ":",
  <|"version" -> ToString[$VersionNumber], "cloud" -> TrueQ[$CloudConnected]|>];
AgentToolsLoop`Private`loop[];
